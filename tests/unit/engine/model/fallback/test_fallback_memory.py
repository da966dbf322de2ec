"""The caches of the fallback path take no more memory than the scheduler's blocks and slots stand for."""

from pathlib import Path
from random import Random

import pytest
from transformers import BloomForCausalLM

from engine.build import build_core, choose_parts
from engine.config import EngineConfig
from engine.model.fallback.runner import FallbackRunner
from engine.port.errors import GenerationFailed, ModelNotSupported
from engine.port.events import TokenEvent
from engine.port.request import BeamParams, SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.text import save_tiny_model

BLOCK_SIZE, NUM_BLOCKS = 4, 12


@pytest.mark.parametrize("architecture", ["bloom", "rwkv", "recurrent_gemma"])
def test_forks_beams_preemption_and_aborts_stay_within_the_blocks(architecture: str, tmp_path: Path) -> None:
    config = EngineConfig(
        model=str(save_tiny_model(tmp_path, architecture, has_end_token=False)),
        device="cpu",
        dtype="float32",
        block_size=BLOCK_SIZE,
        num_kv_blocks=NUM_BLOCKS,
        max_num_sequences=6,
        max_batch_tokens=7,
    )
    parts = choose_parts(config, lambda line: None)
    runner, info = parts.runner, parts.info
    assert isinstance(runner, FallbackRunner)
    a_block = info.kv_cache_bytes // info.num_blocks
    a_state = info.state_bytes // max(info.num_state_slots, 1)
    core, random = parts.core(), Random(5)
    for arrival in range(8):
        beams = BeamParams(num_beams=3) if arrival % 4 == 3 else None
        request = generation_request(
            token_ids=[random.randrange(256) for _ in range(random.randint(1, 14))],
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=12),
            num_sequences=3 if arrival % 2 else 1,
            beams=beams,
        )
        core.add(arrival, request)
    most_caches = 0
    for step in range(2_000):
        if not core.has_work:
            break
        if step == 5:
            core.abort(1)
        launched = core.launch()
        if launched is None:
            continue
        assert launched.error is None
        caches = list(runner._caches.values())  # forks that the step made have theirs with the next one
        most_caches = max(most_caches, len(caches))
        assert len(caches) <= len(parts.scheduler.running)
        num_owned = parts.scheduler.pool.num_blocks - parts.scheduler.pool.num_free
        assert sum(cache.num_bytes for cache in caches) <= num_owned * a_block + len(caches) * a_state
        assert all(isinstance(event, TokenEvent) for _, event in core.collect(launched))
    assert not core.has_work
    assert not runner._caches, "which would stay until the next request"
    assert most_caches > 3
    assert core.counters.num_preemptions > 0


def test_the_last_abort_and_the_last_failure_leave_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = save_tiny_model(tmp_path, "bloom", has_end_token=False)
    parts = choose_parts(EngineConfig(model=str(directory), device="cpu", dtype="float32"), lambda line: None)
    runner, core = parts.runner, parts.core()
    assert isinstance(runner, FallbackRunner)
    request = generation_request(
        token_ids=range(5),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=9),
        num_sequences=2,
    )
    core.add(0, request)
    core.step()
    assert len(runner._caches) == 1  # the fork's is made with the next step
    core.abort(0)
    assert not runner._caches

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    core.add(1, request)
    assert all(isinstance(event, TokenEvent) for _, event in core.step())  # no copy of the request before
    monkeypatch.setattr(runner, "copy_states", fail)
    [(arrival, error)] = core.step()
    assert arrival == 1 and isinstance(error, GenerationFailed)
    assert not runner._caches


def test_what_modelling_code_raises_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TypeError("forward() misses an argument")

    directory = save_tiny_model(tmp_path, "bloom")
    monkeypatch.setattr(BloomForCausalLM, "forward", fail)
    with pytest.raises(
        ModelNotSupported, match="BloomForCausalLM does not compute a few tokens: TypeError: forward"
    ):
        build_core(EngineConfig(model=str(directory), device="cpu", dtype="float32"), lambda line: None)


@pytest.mark.parametrize(("architecture", "most"), [("recurrent_gemma", 64), ("bloom", 512)])
def test_a_step_of_many_passes_has_few_tokens(architecture: str, most: int, tmp_path: Path) -> None:
    directory = save_tiny_model(tmp_path, architecture, has_end_token=False)
    core = build_core(
        EngineConfig(model=str(directory), device="cpu", dtype="float32"), lambda line: None
    ).core
    for arrival in range(4):
        request = generation_request(
            request_id=str(arrival),
            token_ids=tuple(range(40, 70)) * 3,
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=2),
        )
        core.add(arrival, request)
    schedule = core.scheduler.schedule()
    assert schedule.num_rows == min(most, 360)
