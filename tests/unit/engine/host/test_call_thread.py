"""One thread for a core from its first tensor to its last step."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from engine.async_engine import AsyncEngine
from engine.build import build_core
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.grammar.ebnf.process.client import SHARED
from engine.host.call_thread import CallThread
from engine.port.errors import EngineDied, ModelNotSupported
from engine.port.request import GenerationRequest, SamplingParams, StopConditions
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.text import save_tiny_model


def two_tokens() -> GenerationRequest:
    return generation_request(
        request_id="a",
        token_ids=(40, 41),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=2, ignore_eos=True),
    )


def test_calls_are_made_in_order_and_in_one_thread_until_it_ends() -> None:
    thread = CallThread("calls")
    calls = [thread.submit(lambda number=number: (number, threading.get_ident())) for number in range(5)]
    thread.end()
    assert thread.join(30)
    numbers, threads = zip(*(call.result(0) for call in calls), strict=True)
    assert numbers == tuple(range(5))
    assert len(set(threads)) == 1 and threads[0] != threading.get_ident()


def test_a_call_that_raises_or_is_cancelled_leaves_the_thread_to_the_others() -> None:
    thread = CallThread("calls")
    begins = threading.Event()
    thread.submit(begins.wait)
    cancelled, failing, last = thread.submit(int), thread.submit(int, "no number"), thread.submit(int, "7")
    assert cancelled.cancel()
    begins.set()
    with pytest.raises(ValueError, match="no number"):
        failing.result(10)
    assert last.result(10) == 7
    thread.end()


@pytest.fixture
def grammar_process() -> None:
    """All engines of a process share it, and it outlives them: it is no thread that a start leaves behind."""
    SHARED.start()


@pytest.mark.usefixtures("grammar_process")
async def test_a_thread_ends_where_nothing_is_built(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(ModelNotSupported):
        await AsyncEngine.start(EngineConfig(model=str(tmp_path / "none"), device="cpu"))
    assert set(threading.enumerate()) <= before


async def _cancel_start_during(load: Callable[[], object]) -> None:
    """Cancel a start once its thread is loading."""
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def build(*_: object) -> None:
        loop.call_soon_threadsafe(begun.set)
        load()

    with patch("engine.async_engine.build_core", build):
        start = asyncio.create_task(AsyncEngine.start(EngineConfig(model="", device="cpu")))
        await begun.wait()
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start


@pytest.mark.usefixtures("grammar_process")
async def test_a_start_that_is_cancelled_ends_when_its_thread_has(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    may_end, join = threading.Event(), CallThread.join

    def end_and_join(thread: CallThread, timeout_s: float) -> bool:
        may_end.set()
        return join(thread, timeout_s)

    monkeypatch.setattr(CallThread, "join", end_and_join)
    await _cancel_start_during(lambda: may_end.wait(60))
    assert set(threading.enumerate()) <= before


def test_a_join_ends_without_a_call_that_does_not() -> None:
    thread, may_end = CallThread("calls"), threading.Event()
    thread.submit(may_end.wait)
    thread.end()
    assert not thread.join(0.01)
    may_end.set()
    assert thread.join(30)


async def test_a_start_that_is_cancelled_does_not_wait_for_a_load_without_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("engine.async_engine._START_TIMEOUT_S", 0.01)
    may_end = threading.Event()
    await _cancel_start_during(lambda: may_end.wait(60))
    assert "still loading" in caplog.text
    may_end.set()


async def test_who_waits_hears_of_a_death_that_is_no_exception_of_ours(tmp_path: Path) -> None:
    engine = await AsyncEngine.start(EngineConfig(model=str(save_tiny_model(tmp_path)), device="cpu"))
    with (
        patch.object(EngineCore, "step", side_effect=SystemExit("panic")),
        pytest.raises(EngineDied),
    ):
        async for _ in engine.submit(two_tokens()):
            pass
    await engine.stop()


async def test_a_core_is_stepped_in_the_thread_that_built_it(tmp_path: Path) -> None:
    threads = []

    def step(core: EngineCore) -> list[Output]:
        threads.append(threading.get_ident())
        return original_step(core)

    def build(*arguments: object) -> object:
        threads.append(threading.get_ident())
        return build_core(*arguments)  # type: ignore[arg-type]  # as they were given

    original_step = EngineCore.step
    with patch("engine.async_engine.build_core", build), patch.object(EngineCore, "step", step):
        engine = await AsyncEngine.start(EngineConfig(model=str(save_tiny_model(tmp_path)), device="cpu"))
        assert len([event async for event in engine.submit(two_tokens())]) == 2
        await engine.stop()
    assert len(threads) == 3 and len(set(threads)) == 1
