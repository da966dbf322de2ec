"""The end of a process whose server is not ours."""

import asyncio
import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from handlers.process.foreign_server import ForeignServer
from handlers.process.watchdog import FORCE_S, Watchdog
from tests.support.clocks.until import until
from tests.support.scripted.engine import ScriptedEngine, says


class Armed(Watchdog):
    """Notes the deadlines and ends nothing."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        super().__init__(lambda timeout, **_: self.seconds.append(timeout))


class Heard:
    """A server's own handler of signals."""

    def __init__(self) -> None:
        self.signals: list[int] = []

    def __call__(self, sent: int, frame: FrameType | None) -> None:
        self.signals.append(sent)


@pytest.fixture
def heard() -> Iterator[Heard]:
    handler = Heard()
    previous = signal.signal(signal.SIGTERM, handler)
    yield handler
    signal.signal(signal.SIGTERM, previous)


async def test_a_signal_begins_the_drain_and_goes_on_to_the_server(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, armed = ScriptedEngine(says("a")), Armed()
    drained = asyncio.Event()

    async def drain(timeout_s: float) -> None:
        assert timeout_s == 7
        drained.set()

    monkeypatch.setattr(engine, "drain", drain)
    with ForeignServer(engine, 7, armed).watched():
        signal.raise_signal(signal.SIGTERM)
        await asyncio.wait_for(drained.wait(), 30)
    assert heard.signals == [signal.SIGTERM]
    assert armed.seconds == [7 + FORCE_S]
    assert signal.getsignal(signal.SIGTERM) is heard, "as it was"


async def test_the_end_of_a_terminal_is_a_signal_to_stop_too(heard: Heard) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with ForeignServer(ScriptedEngine(says("a")), 7, Armed()).watched():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL, "as it was"
    finally:
        signal.signal(signal.SIGHUP, before)
    assert heard.signals == [signal.SIGTERM]


async def test_the_death_of_the_engine_stops_the_server(heard: Heard) -> None:
    engine, armed = ScriptedEngine(says("a")), Armed()
    server = ForeignServer(engine, 90, armed)
    with server.watched():
        engine.died.set()
        await until(lambda: heard.signals)
    assert server.has_died
    assert armed.seconds[0] == FORCE_S
