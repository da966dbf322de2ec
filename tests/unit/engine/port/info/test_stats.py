"""The counters of the engine, and the times and counts that each event has of its request."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.build import build_core
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.port.events import TokenEvent
from engine.port.info.stats import Counters, Histogram
from engine.port.request import BeamParams, GenerationRequest, SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.text import save_tiny_model

BLOCK_SIZE = 4


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"), has_end_token=False)


@pytest.fixture
def core(directory: Path) -> EngineCore:
    return new_core(directory)


def new_core(directory: Path, **shape: Any) -> EngineCore:
    config = EngineConfig(model=str(directory), device="cpu", block_size=BLOCK_SIZE, **shape)
    return build_core(config, lambda line: None).core


def new_request(num_prompt_tokens: int, max_tokens: int = 4, **options: Any) -> GenerationRequest:
    return generation_request(
        request_id="",
        token_ids=range(num_prompt_tokens),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=max_tokens),
        **options,
    )


def run(core: EngineCore) -> list[TokenEvent]:
    events = []
    while core.has_work:
        events += [event for _, event in core.step()]
    assert all(isinstance(event, TokenEvent) for event in events), events
    return [event for event in events if isinstance(event, TokenEvent)]


@given(st.lists(st.floats(0, 100)))
def test_a_histogram_counts_each_value_under_the_first_bound_that_it_does_not_exceed(
    values: list[float],
) -> None:
    bounds = (0.5, 1.0, 50.0)
    histogram = Histogram(bounds, [0] * 4)
    for value in values:
        histogram.observe(value)
    edges = (-1.0, *bounds, 1000.0)
    expected = [
        sum(low < value <= high for value in values) for low, high in zip(edges, edges[1:], strict=False)
    ]
    assert histogram.counts == expected
    assert histogram.num_values == len(values)
    assert histogram.total == pytest.approx(sum(values))


def test_a_copy_of_the_counters_does_not_follow_them() -> None:
    counters = Counters()
    before = counters.copy()
    counters.count_step(num_sequences=3, num_tokens=5, num_preempted=1, seconds=0.5)
    counters.decode_steps.count(0.5, 0.4, 0.1)
    counters.prefill_steps.count_failed()
    counters.queue_s.observe(1.0)
    counters.num_finished["stop"] = 1
    assert before == Counters()
    after = counters.copy()
    assert after == counters
    assert (after.num_steps, after.num_failed_steps) == (2, 1)


def test_stats_are_of_the_moment_they_were_asked_for(core: EngineCore) -> None:
    core.add(0, new_request(6))
    core.step()
    before = core.stats()
    run(core)
    assert (before.num_running, before.counters.num_generated_tokens) == (1, 1)
    assert (core.stats().num_running, core.stats().counters.num_generated_tokens) == (0, 4)


def test_steps_that_compute_prompts_are_counted_apart(directory: Path) -> None:
    core = new_core(directory, max_batch_tokens=4)
    core.add(0, new_request(6))  # two chunks, then three tokens
    run(core)
    counters = core.stats().counters
    assert (counters.prefill_steps.num_steps, counters.decode_steps.num_steps) == (2, 3)
    for steps in (counters.prefill_steps, counters.decode_steps):
        assert steps.total_s.num_values == steps.forward_s.num_values == steps.num_steps
        assert 0 < steps.forward_s.total + steps.choose_s.total <= steps.total_s.total
    assert counters.batch_sizes.counts[0] == 5
    assert counters.step_tokens.total == counters.num_computed_tokens
    assert counters.queue_s.num_values == 1


def test_blocks_that_only_the_cache_knows_are_told(core: EngineCore) -> None:
    core.add(0, new_request(9, max_tokens=1))
    assert core.stats().num_idle_blocks == 0
    run(core)
    stats = core.stats()
    assert (stats.num_idle_blocks, stats.num_free_blocks) == (2, stats.num_blocks)


@pytest.mark.parametrize("beams", [None, BeamParams(num_beams=2)], ids=["sampled", "searched"])
def test_each_event_tells_how_much_of_the_prompt_was_cached(
    core: EngineCore, beams: BeamParams | None
) -> None:
    for arrival, num_cached in enumerate((0, 8)):
        core.add(arrival, new_request(10, beams=beams))
        assert {event.num_cached_tokens for event in run(core)} == {num_cached}


@pytest.mark.parametrize("beams", [None, BeamParams(num_beams=4)], ids=["sampled", "searched"])
def test_the_preemptions_of_a_sequence_are_told_and_totalled(
    directory: Path, beams: BeamParams | None
) -> None:
    core = new_core(directory, num_kv_blocks=10)
    core.add(0, new_request(7, max_tokens=20))
    core.add(1, new_request(7, max_tokens=20, beams=beams))
    last = [event for event in run(core) if event.finish]
    assert sum(event.num_preemptions for event in last) > 0
    assert core.stats().counters.num_preemptions >= max(event.num_preemptions for event in last) > 0


def test_each_event_tells_the_size_of_the_step_that_made_it(core: EngineCore) -> None:
    core.add(0, new_request(5, max_tokens=5))
    sizes = [event.batch_size for _ in range(2) for _, event in core.step() if isinstance(event, TokenEvent)]
    core.add(1, new_request(5, max_tokens=2))
    sizes += [event.batch_size for event in run(core)]
    assert sizes == [1, 1, 2, 2, 2, 2, 1]


def test_queue_and_step_times_add_up_to_the_time_since_submission(
    core: EngineCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("time.perf_counter", clock)
    core.add(0, new_request(5), submitted_at=0.0)
    clock.now = 7.0
    events = []
    while core.has_work:
        events += [(event, clock.now) for _, event in core.step() if isinstance(event, TokenEvent)]
    assert [event.queue_s for event, _ in events] == [7.0] * 4
    assert all(event.step_s > 0 for event, _ in events)
    assert 7.0 + sum(event.step_s for event, _ in events) <= clock.now
    assert core.stats().counters.queue_s.total == 7.0


def test_each_token_tells_how_long_its_sequence_waited_for_the_step(
    core: EngineCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("time.perf_counter", clock)
    core.add(0, new_request(5), submitted_at=0.0)
    events = []
    for pause in (7.0, 1.0, 0.0, 2.0):
        clock.now += pause
        events += [event for _, event in core.step() if isinstance(event, TokenEvent)]
    assert [round(event.wait_s) for event in events] == [7, 1, 0, 2]
    assert all(0 < event.wait_s < event.step_s for event in events[1:])


class Clock:
    """Goes on by a thousandth of a second at each look."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 2**-10
        return self.now - 2**-10
