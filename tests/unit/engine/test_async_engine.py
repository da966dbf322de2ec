"""The engine's asyncio front: streams, aborts, refusals, draining."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from engine.assembly.built_engine import BuiltEngine
from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.port.errors import (
    EngineDied,
    EngineStopped,
    InvalidGrammar,
    InvalidRequest,
    InvalidToken,
    ModelNotSupported,
    PromptTooLong,
    ReaderTooSlow,
    RequestAborted,
    UnknownAdapter,
)
from engine.port.events import FinishReason, TokenEvent
from engine.port.info.stats import EngineStats, Health
from engine.port.request import (
    GenerationRequest,
    Grammar,
    GrammarKind,
    Prompt,
    SamplingParams,
    StopConditions,
)
from tests.support.clocks.until import until
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.spoiled_runner import SpoiledRunner, new_parts

MAX_TOTAL_TOKENS = 512
FOREVER = 400  # tokens: more than a test waits for


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest_asyncio.fixture
async def engine(directory: Path) -> AsyncIterator[AsyncEngine]:
    engine = await AsyncEngine.start(tiny_config(directory, max_batch_tokens=32))
    yield engine
    await engine.stop()


def engine_over_core(directory: Path) -> tuple[AsyncEngine, EngineCore]:
    """An engine whose core is at hand, for tests in which it fails."""
    parts = new_parts(directory)
    core = parts.core()
    return AsyncEngine(BuiltEngine(core, parts.tokenizer, parts.info)), core


def new_request(name: str = "a", num_prompt_tokens: int = 5, **stopping: Any) -> GenerationRequest:
    return generation_request(
        request_id=name,
        token_ids=(40,) * num_prompt_tokens,
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(**({"max_tokens": FOREVER, "ignore_eos": True} | stopping)),
    )


async def collect(engine: AsyncEngine, request: GenerationRequest) -> list[TokenEvent]:
    return [event async for event in engine.submit(request)]


async def assert_becomes_idle(engine: AsyncEngine) -> None:
    def is_idle() -> bool:
        stats = engine.stats()
        return stats.num_free_blocks == stats.num_blocks and stats.num_running == stats.num_waiting == 0

    await until(is_idle)


async def test_every_sequence_ends_with_one_terminal_event(engine: AsyncEngine) -> None:
    requests = [replace(new_request(str(n), n + 1, max_tokens=6), num_sequences=2) for n in range(8)]
    for events in await asyncio.gather(*(collect(engine, request) for request in requests)):
        for index in range(2):
            own = [event for event in events if event.index == index]
            assert [event.position for event in own] == list(range(6))
            assert [event.finish for event in own] == [None] * 5 + [FinishReason.LENGTH]
    await assert_becomes_idle(engine)


async def test_closing_the_iterator_frees_the_blocks(engine: AsyncEngine) -> None:
    async with aclosing(engine.submit(new_request())) as events:
        await anext(events)
        assert engine.stats().num_free_blocks < engine.stats().num_blocks
    await assert_becomes_idle(engine)
    assert engine.stats().counters.num_aborted == 1


async def test_cancelling_the_reader_aborts_whatever_state_the_request_is_in(directory: Path) -> None:
    config = EngineConfig(
        model=str(directory), device="cpu", num_kv_blocks=32, max_batch_tokens=16, max_num_sequences=8
    )
    engine = await AsyncEngine.start(config)
    states: list[Callable[[EngineStats, int], bool]] = [
        lambda stats, num_generated: True,
        lambda stats, num_generated: stats.num_waiting > 0,
        lambda stats, num_generated: stats.num_running > 0,
        *(lambda stats, num_generated, least=least: num_generated >= least for least in (1, 20, 200)),
    ]
    for is_reached in states:
        num_before = engine.stats().counters.num_generated_tokens
        readers = [
            asyncio.create_task(collect(engine, new_request(str(n), 60 + 20 * n, max_tokens=200)))
            for n in range(12)
        ]
        async with asyncio.timeout(30):
            while not is_reached(stats := engine.stats(), stats.counters.num_generated_tokens - num_before):
                await asyncio.sleep(0.001)
        for reader in readers:
            reader.cancel()
        results = await asyncio.gather(*readers, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)
        await assert_becomes_idle(engine)
    await engine.stop()


async def test_abort_ends_the_stream_with_an_error_and_is_idempotent(engine: AsyncEngine) -> None:
    async with aclosing(engine.submit(new_request())) as events:
        await anext(events)
        await engine.abort("a")
        await engine.abort("a")
        with pytest.raises(RequestAborted):
            while True:
                await anext(events)
    await engine.abort("a")
    await engine.abort("never seen")
    await assert_becomes_idle(engine)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (new_request(num_prompt_tokens=0), InvalidRequest),
        (new_request(num_prompt_tokens=MAX_TOTAL_TOKENS, max_tokens=1), PromptTooLong),
        (new_request(max_tokens=0), InvalidRequest),
        (replace(new_request(), num_sequences=0), InvalidRequest),
        (replace(new_request(), prompt=Prompt((5, -1))), InvalidToken),
        (replace(new_request(), prompt=Prompt((5, 10**6))), InvalidToken),
        (replace(new_request(), sampling=SamplingParams(logit_bias={10**6: 1.0})), InvalidToken),
        (replace(new_request(), adapter="poet"), UnknownAdapter),
        (
            replace(
                new_request(),
                sampling=SamplingParams(grammar=Grammar(GrammarKind.JSON_SCHEMA, '{"type": 3}')),
            ),
            InvalidGrammar,
        ),
    ],
)
async def test_what_the_model_cannot_run_is_refused_before_the_first_event(
    engine: AsyncEngine, request_: GenerationRequest, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await anext(engine.submit(request_))
    await assert_becomes_idle(engine)
    assert len(await collect(engine, new_request(max_tokens=2))) == 2


async def test_an_adapter_that_is_not_there_is_named_in_quotes(engine: AsyncEngine) -> None:
    with pytest.raises(UnknownAdapter, match="^adapter '' is not loaded$"):
        await anext(engine.submit(replace(new_request(), adapter="")))


async def test_prompt_and_output_may_fill_the_context_and_no_more(engine: AsyncEngine) -> None:
    assert engine.model_info.max_total_tokens == MAX_TOTAL_TOKENS
    fits = new_request("a", MAX_TOTAL_TOKENS - 3, max_tokens=3)
    assert len(await collect(engine, fits)) == 3
    with pytest.raises(PromptTooLong) as caught:
        await collect(engine, new_request("b", MAX_TOTAL_TOKENS - 3, max_tokens=4))
    assert (caught.value.num_prompt_tokens, caught.value.max_tokens) == (MAX_TOTAL_TOKENS - 3, 4)


async def test_a_small_cache_bounds_the_context(directory: Path) -> None:
    config = EngineConfig(model=str(directory), device="cpu", num_kv_blocks=3, block_size=8)
    engine = await AsyncEngine.start(config)
    assert engine.model_info.max_total_tokens == 24
    assert len(await collect(engine, new_request("a", 20, max_tokens=4))) == 4
    with pytest.raises(PromptTooLong):
        await collect(engine, new_request("b", 21, max_tokens=4))
    await engine.stop()


async def test_two_running_requests_cannot_share_an_id(engine: AsyncEngine) -> None:
    async with aclosing(engine.submit(new_request())) as events:
        await anext(events)
        with pytest.raises(InvalidRequest):
            await collect(engine, new_request())
        await anext(events)


async def test_a_request_aborted_while_its_grammar_compiles_never_runs(engine: AsyncEngine) -> None:
    sampling = SamplingParams(temperature=0.0, grammar=Grammar(GrammarKind.REGEX, "[a-z]*"))
    reader = asyncio.create_task(collect(engine, replace(new_request(), sampling=sampling)))
    await asyncio.sleep(0)
    await engine.abort("a")
    with pytest.raises(RequestAborted):
        await reader
    await collect(engine, new_request("b", max_tokens=2))
    await assert_becomes_idle(engine)
    assert engine.stats().counters.num_generated_tokens == 2


async def test_an_id_that_comes_again_gets_no_event_of_its_predecessor(engine: AsyncEngine) -> None:
    for _ in range(20):
        async with aclosing(engine.submit(new_request())) as events:
            assert (await anext(events)).position == 0


async def test_a_grammar_shapes_the_text(engine: AsyncEngine) -> None:
    sampling = SamplingParams(temperature=0.0, grammar=Grammar(GrammarKind.REGEX, "(yes|no){3}"))
    request = replace(new_request(max_tokens=20, ignore_eos=False), sampling=sampling)
    events = await collect(engine, request)
    assert "".join(event.text for event in events).replace("yes", "").replace("no", "") == ""
    assert events[-1].finish is FinishReason.END_TOKEN


async def test_the_end_of_a_sequence_is_told_though_nobody_reads_its_events(engine: AsyncEngine) -> None:
    ended: list[int] = []
    all_ended = asyncio.Event()

    def on_end(num_sequences: int) -> None:
        ended.append(num_sequences)
        if sum(ended) == 3:
            all_ended.set()

    request = replace(new_request(max_tokens=6), num_sequences=3, num_parallel=2)
    async with aclosing(engine.submit(request, on_end)) as events:
        await anext(events)
        async with asyncio.timeout(30):
            await all_ended.wait()
        assert ended == [1, 1, 1]
        assert len([event async for event in events]) == 17


async def test_a_request_whose_reader_is_too_slow_is_ended_and_its_events_forgotten(directory: Path) -> None:
    config = tiny_config(directory, max_unread_bytes=20_000)
    engine = await AsyncEngine.start(config)
    ended: list[int] = []
    async with aclosing(engine.submit(replace(new_request(), num_sequences=4), ended.append)) as events:
        await anext(events)
        await assert_becomes_idle(engine)
        with pytest.raises(ReaderTooSlow):
            await anext(events)
    assert ended == [4]
    assert len(await collect(engine, new_request("b", max_tokens=3))) == 3
    await engine.stop()


async def test_a_draining_engine_finishes_its_requests_and_takes_no_new_ones(engine: AsyncEngine) -> None:
    running = asyncio.create_task(collect(engine, new_request(max_tokens=60)))
    await asyncio.sleep(0)
    draining = asyncio.create_task(engine.drain(60.0))
    await asyncio.sleep(0)
    with pytest.raises(EngineStopped):
        await collect(engine, new_request("late"))
    health = await engine.health()
    assert (health.is_healthy, health.is_alive) == (False, True)
    await draining
    assert len(await running) == 60


async def test_what_has_not_ended_when_the_drain_times_out_raises(engine: AsyncEngine) -> None:
    running = asyncio.create_task(collect(engine, new_request()))
    await asyncio.sleep(0)
    await engine.drain(0.01)
    with pytest.raises(EngineStopped):
        await running
    await assert_becomes_idle(engine)


async def test_a_dead_engine_ends_its_requests_and_says_so(
    directory: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    engine, core = engine_over_core(directory)
    assert (await engine.health()).is_healthy
    death = asyncio.create_task(engine.death())

    def die(drafts: object) -> None:
        raise ZeroDivisionError("at /srv/model")

    async with aclosing(engine.submit(new_request())) as events:
        await anext(events)
        monkeypatch.setattr(core.scheduler, "schedule", die)
        assert not death.done()
        with pytest.raises(EngineDied, match="^the engine died$"):
            while True:
                await anext(events)
    await asyncio.wait_for(death, 30)
    assert await engine.health() == Health(False, "the engine died", is_alive=False)
    with pytest.raises(EngineDied):
        await collect(engine, new_request("late"))
    (record,) = [record for record in caplog.records if record.levelname == "CRITICAL"]
    assert record.exc_info is not None and isinstance(record.exc_info[1], ZeroDivisionError)


async def test_a_request_whose_grammar_compiles_when_the_engine_dies_ends_at_once(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, core = engine_over_core(directory)
    may_end = threading.Event()
    monkeypatch.setattr(engine._grammars._compiler, "compile", lambda *_: may_end.wait(60))
    sampling = SamplingParams(grammar=Grammar(GrammarKind.REGEX, "[a-y]*"))
    waiting = asyncio.create_task(collect(engine, replace(new_request(), sampling=sampling)))
    await asyncio.sleep(0)
    monkeypatch.setattr(core, "step", lambda: 1 / 0)
    with pytest.raises(EngineDied):
        await collect(engine, new_request("b"))
    with pytest.raises(EngineDied):
        await asyncio.wait_for(waiting, 30)
    may_end.set()


async def test_a_stop_does_not_wait_for_a_step_without_end(
    directory: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    engine, core = engine_over_core(directory)
    begun, may_end = threading.Event(), threading.Event()

    def hang() -> list[Output]:
        begun.set()
        may_end.wait(60)
        return []

    monkeypatch.setattr(core, "step", hang)
    reading = asyncio.create_task(collect(engine, new_request()))
    await asyncio.to_thread(begun.wait, 30)
    await asyncio.wait_for(engine.stop(), 30)
    with pytest.raises(EngineStopped):
        await reading
    assert "the running step has not ended" in caplog.text
    may_end.set()
    assert await asyncio.to_thread(engine._thread.stop, 30)


async def test_an_engine_whose_step_does_not_end_is_unhealthy_until_it_does(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.async_engine.MAX_STEP_S", 0.05)
    may_end = threading.Event()
    parts = new_parts(directory)
    runner = SpoiledRunner(parts.runner)
    runner.before = lambda batch: may_end.wait(60)
    engine = AsyncEngine(BuiltEngine(parts.core(runner), parts.tokenizer, parts.info))
    reading = asyncio.create_task(collect(engine, new_request(max_tokens=2)))
    async with asyncio.timeout(30):
        while (health := await engine.health()).is_healthy:
            await asyncio.sleep(0.01)
    assert health.reason is not None
    assert "no step has ended" in health.reason
    assert not health.is_alive
    may_end.set()
    assert len(await reading) == 2
    await assert_becomes_idle(engine)
    assert (await engine.health()).is_healthy
    monkeypatch.setattr("engine.async_engine.MAX_STEP_S", 0.0)
    assert (await engine.health()).is_healthy, "an idle engine is not stalled, however long it has been idle"
    await engine.stop()


async def test_progress_is_told_and_a_missing_model_is_named(directory: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    engine = await AsyncEngine.start(tiny_config(directory), on_progress=lines.append)
    await engine.stop()
    assert any("weights" in line for line in lines)
    with pytest.raises(ModelNotSupported, match=str(tmp_path.name)):
        await AsyncEngine.start(tiny_config(tmp_path))
