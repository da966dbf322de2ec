"""The promises of a beam request beside its result: refusals, aborts, failures, and no block lost."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from engine.attention.batch import Batch
from engine.build import build_core
from engine.core.core import EngineCore
from engine.port.admission import check_request
from engine.port.errors import GenerationFailed, InvalidRequest, NotFinite
from engine.port.events import TokenEvent
from engine.port.request import (
    BeamParams,
    Grammar,
    GrammarKind,
    Prompt,
    SamplingParams,
    StopConditions,
)
from tests.support.engine_requests import generation_request
from tests.support.selection.effort import trials
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.spoiled_runner import spoiled_core

GREEDY = SamplingParams(temperature=0.0)
REQUEST = generation_request(
    request_id="",
    token_ids=(5, 6, 7),
    sampling=GREEDY,
    stopping=StopConditions(max_tokens=6),
    num_sequences=2,
    beams=BeamParams(num_beams=3),
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


def new_core(directory: Path, **shape: Any) -> EngineCore:
    return build_core(tiny_config(directory, **shape), lambda line: None).core


def assert_all_free(core: EngineCore) -> None:
    stats = core.stats()
    assert (stats.num_free_blocks, stats.num_running, stats.num_waiting) == (stats.num_blocks, 0, 0)
    assert not core.has_work


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"beams": BeamParams(num_beams=1), "num_sequences": 1}, "at least 2"),
        ({"num_sequences": 4}, "at most num_beams"),
        ({"beams": BeamParams(num_beams=3, length_penalty=float("nan"))}, "length_penalty"),
        ({"beams": BeamParams(num_beams=3, length_penalty=-51.0)}, "length_penalty"),
        ({"sampling": SamplingParams()}, "temperature"),
        (
            {"sampling": SamplingParams(temperature=0.0, grammar=Grammar(GrammarKind.JSON_OBJECT))},
            "grammar",
        ),
    ],
)
def test_a_search_that_cannot_be_is_refused(directory: Path, changes: dict[str, Any], message: str) -> None:
    config = tiny_config(directory)
    info = build_core(config, lambda line: None).info
    check_request(REQUEST, info)
    with pytest.raises(InvalidRequest, match=message):
        check_request(replace(REQUEST, **changes), info)


@pytest.mark.parametrize("num_steps", range(7))
def test_an_abort_at_any_step_frees_every_beam(directory: Path, num_steps: int) -> None:
    core = new_core(directory, block_size=2)
    core.add(0, REQUEST)
    outputs = [output for _ in range(num_steps) for output in core.step()]
    core.abort(0)
    assert_all_free(core)
    assert bool(outputs) == (num_steps == REQUEST.stopping.max_tokens)


@pytest.mark.parametrize("prompt", [(5, 6, 7), (40, 41), (9, 1, 3, 7)])
def test_a_beam_that_was_preempted_tells_so_through_its_children(
    directory: Path, prompt: tuple[int, ...]
) -> None:
    core = new_core(directory)
    stopping = StopConditions(max_tokens=30, ignore_eos=True)
    core.add(0, replace(REQUEST, prompt=Prompt(prompt), stopping=stopping))
    for _ in range(3):
        core.step()
    for sequence in core.scheduler.running[::-1]:
        core.scheduler.preempt(sequence)
    outputs = []
    while core.has_work:
        outputs += core.step()
    assert {event.num_preemptions for _, event in outputs if isinstance(event, TokenEvent)} == {1}


def test_a_stop_token_of_the_request_completes_a_hypothesis(directory: Path) -> None:
    core = new_core(directory)
    stopping = StopConditions(max_tokens=30, ignore_eos=True, stop_token_ids=tuple(range(0, 250, 3)))
    core.add(0, replace(REQUEST, stopping=stopping))
    events = []
    while core.has_work:
        events += [event for _, event in core.step() if isinstance(event, TokenEvent)]
    assert len([event for event in events if event.finish]) == REQUEST.num_sequences
    for event in events:
        assert (event.finish is not None) == (event.token_id in stopping.stop_token_ids)


def test_no_two_beams_have_the_same_place_in_the_order(directory: Path) -> None:
    core = new_core(directory)
    core.add(0, replace(REQUEST, beams=BeamParams(num_beams=5)))
    while core.has_work:
        core.step()
        orders = [sequence.order for sequence in core.scheduler.running]
        assert len({*orders}) == len(orders)


def test_all_events_come_at_the_end_best_sequence_first(directory: Path) -> None:
    core = new_core(directory)
    core.add(0, REQUEST)
    steps = []
    while core.has_work:
        steps.append([event for _, event in core.step()])
    *before, last = steps
    assert not any(before)
    events = [event for event in last if isinstance(event, TokenEvent)]
    assert [(event.index, event.position) for event in events] == [(i, p) for i in range(2) for p in range(6)]
    scores = [event.beam_score for event in events if event.finish]
    assert scores == sorted((score for score in scores if score), reverse=True)
    assert [event.beam_score for event in events if not event.finish] == [None] * 10
    counters = core.stats().counters
    assert (counters.num_generated_tokens, counters.num_finished) == (12, {"length": 2})


def test_a_search_of_fewer_texts_than_were_asked_for_fails_alone(directory: Path) -> None:
    core = new_core(directory)
    only = SamplingParams(temperature=0.0, allowed_token_ids=(9,))
    core.add(0, replace(REQUEST, sampling=only))
    core.add(1, replace(REQUEST, beams=None, num_sequences=1))
    outputs = []
    while core.has_work:
        outputs += core.step()
    assert [type(event) for arrival, event in outputs if arrival == 0] == [GenerationFailed]
    assert len([event for arrival, event in outputs if arrival == 1]) == 6
    assert_all_free(core)


def test_a_beam_of_nan_fails_its_request_once_and_no_other(directory: Path) -> None:
    core, runner = spoiled_core(directory)

    def poison(batch: Batch, logits: torch.Tensor) -> None:
        for row, entry in enumerate(batch.entries):
            if entry.sequence.arrival == 0 and entry.sequence.num_output_tokens == 3:
                logits[row] = torch.nan

    runner.after = poison
    core.add(0, REQUEST)
    core.add(1, REQUEST)
    outputs = []
    while core.has_work:
        outputs += core.step()
    assert [type(event) for arrival, event in outputs if arrival == 0] == [NotFinite]
    assert len([event for arrival, event in outputs if arrival == 1]) == 12
    assert_all_free(core)


def test_searches_and_draws_with_aborts_in_a_tight_cache_all_end_and_lose_no_block(directory: Path) -> None:
    core = new_core(directory, num_kv_blocks=20, block_size=4, max_batch_tokens=24, max_num_sequences=7)
    random = Random(0)
    arrivals = iter(range(trials(60, whole=200)))
    alive: dict[int, set[int]] = {}  # arrival -> sequences that have not ended
    while (arrival := next(arrivals, None)) is not None or core.has_work:
        if arrival is not None:
            num_sequences = random.randint(1, 2)
            request = generation_request(
                request_id="",
                token_ids=tuple(random.randrange(256) for _ in range(random.randint(1, 40))),
                sampling=GREEDY,
                stopping=StopConditions(max_tokens=random.randint(1, 20)),
                num_sequences=num_sequences,
                beams=random.choice([None, BeamParams(num_beams=random.randint(2, 9))]),
            )
            core.add(arrival, request)
            alive[arrival] = set(range(num_sequences))
        if alive and random.random() < 0.1:
            core.abort(aborted := random.choice(sorted(alive)))
            del alive[aborted]
        for arrival, event in core.step() if random.random() < 0.8 else []:
            assert isinstance(event, TokenEvent)
            assert event.index in alive[arrival], "an event after the end"
            if event.finish is not None:
                alive[arrival].remove(event.index)
            if not alive[arrival]:
                del alive[arrival]
    assert not alive
    assert core.stats().counters.num_preemptions > 0
    assert_all_free(core)
