"""The engine computes what transformers computes, however requests are batched, chunked and preempted."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from engine.build import build_core
from engine.core.core import EngineCore
from engine.port.events import FinishReason, TokenEvent
from engine.port.request import SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import trials, usually
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import ALL, HYBRIDS, REPRESENTATIVES, save_tiny_model

NUM_PROMPTS = trials(8, whole=16)
NUM_ALONE = trials(3, whole=6)
MAX_TOKENS = trials(16, whole=24)
TOLERANCE = 1e-4
RECURRENT_TOLERANCE = 2e-3

# Name -> how the engine is squeezed. Prompts are of up to 40 tokens, sliding windows of 9. `make test`
# squeezes an architecture as the first says, which both cuts and preempts, and as one of the others.
SHAPES: dict[str, dict[str, Any]] = {
    "chunks and preemption": {"num_kv_blocks": 20, "block_size": 4, "max_batch_tokens": 9},
    "whole prompts": {},
    "chunks of 7 tokens": {"max_batch_tokens": 7},
}


@dataclass(frozen=True)
class Expected:
    """Greedy tokens by transformers, and log-probabilities of prompt[1:] and of the tokens.

    tolerance: of log-probabilities. transformers computes a recurrent layer's tokens by one formula in a
    prompt, and by another one by one, which float32 rounds differently.
    """

    prompt: tuple[int, ...]
    tokens: list[int]
    logprobs: list[float]
    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class Case:
    directory: Path
    expected: list[Expected]


def expect(
    model: Any, prompt: list[int], tolerance: float = TOLERANCE, *, max_tokens: int = MAX_TOKENS
) -> Expected:
    with torch.inference_mode():
        ids = torch.tensor([prompt])
        output = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=max_tokens,
            do_sample=False,
            return_dict_in_generate=True,
            output_logits=True,
        )
        logits = torch.cat([model(ids).logits[0, :-1], *output.logits])
    tokens = output.sequences[0]
    taken = logits.log_softmax(dim=-1).gather(1, tokens[1:, None])[:, 0]
    return Expected(tuple(prompt), tokens[len(prompt) :].tolist(), taken.tolist(), tolerance)


@pytest.fixture(scope="module", params=usually(ALL, REPRESENTATIVES))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    architecture = request.param
    directory = save_tiny_model(tmp_path_factory.mktemp(architecture), architecture, has_end_token=False)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    random = Random(architecture)
    lengths = [1, 2, 16, *(random.randint(3, 40) for _ in range(NUM_PROMPTS - 3))]
    prompts = [[random.randrange(256) for _ in range(length)] for length in lengths]
    return Case(directory, [expect(model, prompt, tolerance_of(architecture)) for prompt in prompts])


def tolerance_of(architecture: str) -> float:
    return RECURRENT_TOLERANCE if architecture in (*HYBRIDS, "minimax") else TOLERANCE


def new_core(directory: Path, **shape: Any) -> EngineCore:
    config = tiny_config(directory, dtype="float32", **shape)
    return build_core(config, lambda line: None).core


def add(core: EngineCore, arrival: int, expected: Expected, *, num_sequences: int = 1) -> None:
    request = generation_request(
        request_id=str(arrival),
        token_ids=expected.prompt,
        sampling=SamplingParams(temperature=0.0, num_logprobs=0, num_prompt_logprobs=0),
        stopping=StopConditions(max_tokens=MAX_TOKENS),
        num_sequences=num_sequences,
    )
    core.add(arrival, request)


def run(core: EngineCore, events: dict[int, list[TokenEvent]]) -> None:
    for arrival, event in core.step():
        assert isinstance(event, TokenEvent), event
        events.setdefault(arrival, []).append(event)


def assert_as_expected(events: list[TokenEvent], expected: Expected) -> None:
    assert [event.token_id for event in events] == expected.tokens
    assert [event.position for event in events] == list(range(MAX_TOKENS))
    assert [event.finish for event in events] == [None] * (MAX_TOKENS - 1) + [FinishReason.LENGTH]
    assert events[0].prompt is not None
    assert [token.token_id for token in events[0].prompt] == list(expected.prompt)
    assert events[0].prompt[0].logprob is None
    logprobs = [token.logprob for token in events[0].prompt[1:]] + [event.logprob for event in events]
    assert logprobs == pytest.approx(expected.logprobs, abs=expected.tolerance)


@pytest.mark.takes_turns("case")
def test_a_request_alone_gives_the_tokens_of_transformers(case: Case) -> None:
    core = new_core(case.directory)
    for number, expected in enumerate(case.expected[:NUM_ALONE]):
        events: dict[int, list[TokenEvent]] = {}
        add(core, number, expected)
        while core.has_work:
            run(core, events)
        assert_as_expected(events[number], expected)


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "shape", always=1)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_mixed_batch_with_arrivals_and_aborts_gives_the_tokens_of_transformers(
    case: Case, shape: dict[str, Any]
) -> None:
    core = new_core(case.directory, **shape)
    random = Random(7)
    arrives_at = [0, 0, 0, *sorted(random.randint(0, 12) for _ in range(NUM_PROMPTS - 3))]
    aborted_at = {NUM_PROMPTS + number: random.randint(1, 30) for number in range(5)}
    events: dict[int, list[TokenEvent]] = {}
    for step in range(10_000):
        for number, at_step in enumerate(arrives_at):
            if at_step == step:
                add(core, number, case.expected[number])
        for arrival, at_step in aborted_at.items():
            if step == at_step // 3:
                add(core, arrival, random.choice(case.expected), num_sequences=2)
            if step == at_step:
                core.abort(arrival)
        if step > 30 and not core.has_work:
            break
        run(core, events)
    for number, expected in enumerate(case.expected):
        assert_as_expected(events[number], expected)
    stats = core.stats()
    assert stats.num_free_blocks == stats.num_blocks
    if (states := core.scheduler.states) is not None:
        assert states.slots.num_free == states.slots.num_slots
    assert (stats.counters.num_preemptions > 0) == ("num_kv_blocks" in shape)


@pytest.mark.takes_turns("case")
def test_sequences_that_fork_from_one_prompt_each_give_the_tokens_of_transformers(case: Case) -> None:
    core = new_core(case.directory)
    events: dict[int, list[TokenEvent]] = {}
    for number, expected in enumerate(case.expected[:4]):
        add(core, number, expected, num_sequences=3)
    while core.has_work:
        run(core, events)
    for number, expected in enumerate(case.expected[:4]):
        for index in range(3):
            own = [event for event in events[number] if event.index == index]
            assert [event.token_id for event in own] == expected.tokens
            logprobs = [event.logprob for event in own]
            of_tokens = expected.logprobs[len(expected.prompt) - 1 :]
            assert logprobs == pytest.approx(of_tokens, abs=expected.tolerance)
