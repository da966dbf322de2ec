"""A core that launches a step before the one before it is collected gives what one gives that does not.

There is no device here but the host, which computes a step as it is launched. So only the order of launches
and results is tried, and that nothing of what is computed ahead is left where a sequence ends.
"""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.build import build_parts
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.launched_step import LaunchedStep
from engine.grammar.compiler import GrammarCompiler
from engine.port.errors import GenerationFailed
from engine.port.events import Embedding, FinishReason, TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest, SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import trials
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.core.test_device_reads import REQUESTS
from tests.unit.engine.spoiled_runner import SpoiledRunner

NUM_REQUESTS = 16
# Those after which no step is launched ahead, and those after which one is.
KINDS = ("penalised", "excluded", "grammar", "beams", "prompt logprobs", "siblings", "embedding", "watermark")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


NewCore = Callable[..., EngineCore]


@pytest.fixture
def new_core(directory: Path) -> Iterator[NewCore]:
    made: list[EngineCore] = []

    def make(*, runs_ahead: bool, spoiled: bool = False, **options: Any) -> EngineCore:
        config = EngineConfig(model=str(directory), device="cpu", jump_forward=False, block_size=4, **options)
        parts = build_parts(config, lambda line: None)
        made.append(parts.core(SpoiledRunner(parts.runner) if spoiled else None, runs_ahead=runs_ahead))
        return made[-1]

    yield make
    for core in made:
        core.close()


def random_request(random: Random, number: int) -> GenerationRequest | EmbeddingRequest:
    """Often one that ends by a stop string or an end token, which is known one step late."""
    if random.random() < 0.2:
        return REQUESTS[random.choice(KINDS)]
    sampling = SamplingParams(
        seed=number,
        temperature=random.choice([0.0, 1.0]),
        logit_bias={65: 4.0} if random.random() < 0.5 else {},
        num_logprobs=random.choice([None, 0, 2]),
    )
    stopping = StopConditions(
        max_tokens=random.choice([1, 2, 9, 30]),
        min_tokens=random.choice([0, 4]),
        stop=("b",) if random.random() < 0.5 else (),
        stop_token_ids=tuple(range(60, 70)) if random.random() < 0.3 else (),
    )
    prompt = [7, 8, 9, 10] * 3 + [random.randrange(60) for _ in range(random.choice([1, 5, 30]))]
    num_sequences = random.choice([1, 1, 3])
    return generation_request(
        token_ids=prompt[random.choice([0, 11]) :],
        sampling=sampling,
        stopping=stopping,
        num_sequences=num_sequences,
        num_parallel=random.choice([None, 1]) if num_sequences > 1 else None,
    )


def add(core: EngineCore, number: int, request: GenerationRequest | EmbeddingRequest) -> None:
    if isinstance(request, EmbeddingRequest):
        core.embed(number, request)
        return
    grammar = request.sampling.grammar
    core.add(number, request, GrammarCompiler(core.tokenizer).compile(grammar) if grammar else None)


def generate(core: EngineCore, seed: int, *, aborts: bool) -> dict[tuple[int, int], list[Any]]:
    """Run requests that arrive at random, and return what each of their sequences is told."""
    random = Random(seed)
    requests = [random_request(random, number) for number in range(NUM_REQUESTS)]
    told: dict[tuple[int, int], list[Any]] = {}
    number = 0
    for step in count():
        if number == NUM_REQUESTS and not core.has_work:
            return told
        if number < NUM_REQUESTS and (random.random() < 0.3 or not core.has_work):
            add(core, number, requests[number])
            number += 1
        if aborts and step % 7 == 6:
            core.abort(random.randrange(number))
        for arrival, event in core.step():
            if isinstance(event, TokenEvent):
                logprob = None if event.logprob is None else round(event.logprob, 3)
                told.setdefault((arrival, event.index), []).append(
                    (event.token_id, event.text, event.finish, logprob, event.stop_match)
                )
            else:
                assert isinstance(event, Embedding), event
                told[arrival, 0] = [event.num_prompt_tokens]
    raise AssertionError


def count_ahead(core: EngineCore, monkeypatch: pytest.MonkeyPatch) -> list[LaunchedStep]:
    """The steps that are launched ahead, as they come."""
    steps: list[LaunchedStep] = []
    launch = core.launch

    def noted(after: LaunchedStep | None = None) -> LaunchedStep | None:
        step = launch(after)
        if after is not None and step is not None:
            steps.append(step)
        return step

    monkeypatch.setattr(core, "launch", noted)
    return steps


@pytest.mark.parametrize("num_kv_blocks", [400, 40])
@pytest.mark.parametrize("seed", range(trials(3, whole=30)))
def test_sequences_are_told_what_they_are_told_step_by_step(
    new_core: NewCore, seed: int, num_kv_blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few blocks sequences lose theirs, some while a step ahead computes them."""
    core = new_core(runs_ahead=True, num_kv_blocks=num_kv_blocks, max_batch_tokens=24)
    steps = count_ahead(core, monkeypatch)
    for again in range(2):  # the second time from the prefix cache
        told = generate(core, seed, aborts=False)
        step_by_step = new_core(runs_ahead=False, num_kv_blocks=num_kv_blocks, max_batch_tokens=24)
        assert told == generate(step_by_step, seed, aborts=False), again
    stats = core.stats()
    assert stats.num_free_blocks == stats.num_blocks and len(steps) > 20


@pytest.mark.parametrize("seed", range(trials(3, whole=30)))
def test_aborts_leave_nothing(new_core: NewCore, seed: int) -> None:
    core = new_core(runs_ahead=True, num_kv_blocks=60, max_batch_tokens=24)
    generate(core, seed, aborts=True)
    stats = core.stats()
    assert (stats.num_free_blocks, stats.num_running, stats.num_waiting) == (stats.num_blocks, 0, 0)


def decode(core: EngineCore, max_tokens: int, **stopping: Any) -> list[TokenEvent]:
    """Run one greedy request."""
    request = generation_request(
        token_ids=[1, 2, 3],
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=max_tokens, **stopping),
    )
    core.add(0, request)
    events = []
    while core.has_work:
        for _, event in core.step():
            assert isinstance(event, TokenEvent)
            events.append(event)
    return events


def test_a_sequence_is_computed_one_step_too_far_only_where_its_end_is_not_known(new_core: NewCore) -> None:
    tokens = [event.token_id for event in decode(new_core(runs_ahead=False), 6, ignore_eos=True)]
    by_length = new_core(runs_ahead=True)
    assert [event.token_id for event in decode(by_length, 6, ignore_eos=True)] == tokens
    assert by_length.counters.num_steps == 6
    by_token = new_core(runs_ahead=True)
    last = next(place for place, token in enumerate(tokens) if token not in tokens[:place] and place > 0)
    events = decode(by_token, 6, stop_token_ids=(tokens[last],), ignore_eos=True)
    assert [event.token_id for event in events] == tokens[: last + 1]
    assert events[-1].finish is FinishReason.STOP
    assert by_token.counters.num_steps == last + 2
    stats = by_token.stats()
    assert (stats.num_free_blocks, by_token.has_work) == (stats.num_blocks, False)


@pytest.mark.parametrize("fails_at", [2, 3, 4])
def test_a_step_that_fails_while_another_is_in_flight_fails_its_requests_once(
    new_core: NewCore, fails_at: int
) -> None:
    core = new_core(runs_ahead=True, spoiled=True)
    runner = core.runner
    assert isinstance(runner, SpoiledRunner)
    calls = count(1)

    def fail(batch: object) -> None:
        if next(calls) == fails_at:
            raise RuntimeError("no such kernel")

    runner.before = fail
    for number in range(2):
        core.add(number, random_greedy(number))
    errors = []
    while core.has_work:
        errors += [arrival for arrival, event in core.step() if isinstance(event, GenerationFailed)]
    assert sorted(errors) == [0, 1]
    stats = core.stats()
    assert stats.num_free_blocks == stats.num_blocks
    runner.before = lambda batch: None
    assert len(decode(core, 5, ignore_eos=True)) == 5


def random_greedy(number: int) -> GenerationRequest:
    return generation_request(
        token_ids=[number, 2, 3],
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=8, ignore_eos=True),
    )
