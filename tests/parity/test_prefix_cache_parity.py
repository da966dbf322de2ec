"""With the prefix cache on or off, the engine computes what transformers computes."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from engine.core.core import EngineCore
from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from tests.parity.test_engine_parity import MAX_TOKENS, Expected, expect, new_core, tolerance_of
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import usually
from tests.support.tiny_models.text import save_tiny_model

# Full attention, windows shorter than what is shared, latent keys, recurrent layers of two kinds; then those
# that `make test` leaves out: learned positions, shared layers, sinks, an index, runs that end within what is
# shared, other recurrent layers, and those whose cache is of a kind that another has.
USUAL = ("llama", "gemma3", "deepseek_v3", "qwen3_next", "mamba")
ARCHITECTURES = (
    *USUAL, "gpt2", "deepseek_v32", "gemma4", "gpt_oss", "llama4", "lfm2", "falcon_h1", "qwen3", "mistral",
    "gemma2", "mixtral",
)  # fmt: skip
BLOCK_SIZE = 4
# `make test` squeezes an architecture as the first says, and as one of the others.
SHAPES: dict[str, dict[str, Any]] = {
    "cache on, chunks and preemption": {"prefix_caching": True, "num_kv_blocks": 24, "max_batch_tokens": 9},
    "cache on": {"prefix_caching": True},
    "cache off, chunks and preemption": {"prefix_caching": False, "num_kv_blocks": 24, "max_batch_tokens": 9},
}
# Added to the arrivals of those that are aborted, and of those that do not read the cache.
ABORTED, BLIND = 100, 200


@dataclass(frozen=True)
class Case:
    """Prompts that begin alike, and the second turns of conversations: prompt, answer and more."""

    directory: Path
    expected: list[Expected]


@pytest.fixture(scope="module", params=usually(ARCHITECTURES, USUAL))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    architecture = request.param
    directory = save_tiny_model(tmp_path_factory.mktemp(architecture), architecture, has_end_token=False)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    random = Random(architecture)
    stem = [random.randrange(256) for _ in range(24)]
    lengths = [
        (24, 0),
        (24, 0),
        (24, 5),
        (20, 3),
        (13, 9),
        (3, 4),
    ]  # of the stem, and of the prompt's own end
    prompts = [stem[:shared] + [random.randrange(256) for _ in range(own)] for shared, own in lengths]
    tolerance = tolerance_of(architecture)
    first = [expect(model, prompt, tolerance) for prompt in prompts]
    turns = [[*one.prompt, *one.tokens, *range(3)] for one in first[1:4]]
    return Case(directory, first + [expect(model, turn, tolerance) for turn in turns])


def add(core: EngineCore, arrival: int, expected: Expected, **options: Any) -> None:
    sampling = SamplingParams(
        temperature=0.0, num_logprobs=0, num_prompt_logprobs=0 if arrival >= BLIND else None
    )
    request = generation_request(
        request_id=str(arrival),
        token_ids=expected.prompt,
        sampling=sampling,
        stopping=StopConditions(max_tokens=MAX_TOKENS),
        **options,
    )
    core.add(arrival, request)


def step(core: EngineCore, events: dict[tuple[int, int], list[TokenEvent]]) -> None:
    for arrival, event in core.step():
        assert isinstance(event, TokenEvent), event
        events.setdefault((arrival, event.index), []).append(event)


def assert_as_expected(events: list[TokenEvent], expected: Expected) -> None:
    assert [event.token_id for event in events] == expected.tokens
    logprobs = [event.logprob for event in events]
    assert logprobs == pytest.approx(expected.logprobs[len(expected.prompt) - 1 :], abs=expected.tolerance)


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "shape", always=1)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_shared_beginnings_forks_preemptions_and_aborts_give_the_tokens_of_transformers(
    case: Case, shape: dict[str, Any]
) -> None:
    core = new_core(case.directory, block_size=BLOCK_SIZE, **shape)
    random = Random(3)
    numbers = range(len(case.expected))
    wanted = [*numbers, *random.choices(numbers, k=5)]
    num_sequences = [random.choice([1, 1, 3]) for _ in wanted]
    events: dict[tuple[int, int], list[TokenEvent]] = {}
    for arrival, number in enumerate(wanted):
        add(core, arrival, case.expected[number], num_sequences=num_sequences[arrival])
        if arrival % 4 == 1:
            add(core, ABORTED + arrival, random.choice(case.expected), num_sequences=2)
        if arrival % 6 == 3:
            add(core, BLIND + arrival, case.expected[number])
        for _ in range(random.choice([0, 3, 30])):
            step(core, events)
        core.abort(ABORTED + arrival - 1)
    core.abort(ABORTED + arrival)
    while core.has_work:
        step(core, events)
    for arrival, number in enumerate(wanted):
        for index in range(num_sequences[arrival]):
            assert_as_expected(events[arrival, index], case.expected[number])
    check_blind(case, wanted, events)
    stats = core.stats()
    assert stats.num_free_blocks == stats.num_blocks
    if (states := core.scheduler.states) is not None:
        assert states.slots.num_free == states.slots.num_slots
    assert (stats.counters.num_cache_hit_tokens > 0) == shape["prefix_caching"]
    assert (stats.counters.num_preemptions > 0) == ("num_kv_blocks" in shape)


def check_blind(case: Case, wanted: list[int], events: dict[tuple[int, int], list[TokenEvent]]) -> None:
    """Assert that requests for a prompt's log-probabilities get all of them, and thus no cached token."""
    for arrival, number in enumerate(wanted):
        if arrival % 6 == 3:
            own, expected = events[BLIND + arrival, 0], case.expected[number]
            assert own[0].prompt is not None
            logprobs = [token.logprob for token in own[0].prompt[1:]] + [event.logprob for event in own]
            assert logprobs == pytest.approx(expected.logprobs, abs=expected.tolerance)
            assert own[0].num_cached_tokens == 0


@pytest.mark.takes_turns("case")
def test_a_second_turn_starts_from_the_first_with_its_answer(case: Case) -> None:
    core = new_core(case.directory, block_size=BLOCK_SIZE)
    events: dict[tuple[int, int], list[TokenEvent]] = {}
    for arrival, number in enumerate([1, 6]):
        add(core, arrival, case.expected[number])
        while core.has_work:
            step(core, events)
        assert_as_expected(events[arrival, 0], case.expected[number])
    first, turn = case.expected[1], case.expected[6]
    num_kept = (
        (len(first.prompt) + MAX_TOKENS - 1) // BLOCK_SIZE * BLOCK_SIZE
    )  # the last token was not computed
    assert [event.num_cached_tokens for event in events[1, 0]] == [num_kept] * MAX_TOKENS
    counters = core.stats().counters
    assert counters.num_cache_hit_tokens == num_kept
    assert counters.num_cache_queried_tokens == len(first.prompt) + len(turn.prompt)
