"""A clean stop for an application that runs in another server, such as uvicorn's own command."""

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from engine.port.engine import Engine
from handlers.process.end_by_signal import STOP, heard_by
from handlers.process.watchdog import FORCE_S, Watchdog

_log = logging.getLogger(__name__)

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_Handler = Callable[[int, FrameType | None], object]


class ForeignServer:
    """A handler of stop signals for a foreign server, which it also stops when the engine dies.

    A foreign server first waits for its connections, without limit, and only then stops the application. So
    the engine starts draining at the signal, which ends all streams within the grace period, and a watchdog
    ends a process that does not stop.
    """

    def __init__(self, engine: Engine, grace_s: float, watchdog: Watchdog | None = None) -> None:
        self._engine = engine
        self._grace_s = grace_s
        self._watchdog = watchdog or Watchdog()
        self._draining: asyncio.Task[None] | None = None
        self.has_died = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Handle the signals while the application runs, in the event loop of the server."""
        loop = asyncio.get_running_loop()
        death = loop.create_task(self._stop_at_death())
        previous = _handlers()
        for sent, handler in previous.items():
            signal.signal(sent, self._heard_before(handler, loop))
        further = [sent for sent in STOP if previous and signal.getsignal(sent) == signal.SIG_DFL]
        try:
            with heard_by(_stop_too, *further):
                yield
        finally:
            death.cancel()
            for sent, handler in previous.items():
                signal.signal(sent, handler)

    def _heard_before(self, handler: _Handler, loop: asyncio.AbstractEventLoop) -> _Handler:
        def hear(sent: int, frame: FrameType | None) -> None:
            self._watchdog.arm(self._grace_s + FORCE_S)
            loop.call_soon_threadsafe(self._drain)
            handler(sent, frame)

        return hear

    def _drain(self) -> None:
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._engine.drain(self._grace_s))

    async def _stop_at_death(self) -> None:
        await self._engine.death()
        self.has_died = True
        self._watchdog.arm(FORCE_S)
        _log.critical("the server stops because its engine died")
        signal.raise_signal(signal.SIGTERM)


def _stop_too(sent: int, frame: FrameType | None) -> None:
    """Stop the server at a signal that it leaves to the system, which would end it without draining."""
    signal.raise_signal(signal.SIGTERM)


def _handlers() -> dict[signal.Signals, _Handler]:
    """Return the server's signal handlers. A server without handlers is ended by the system at once."""
    if threading.current_thread() is not threading.main_thread():  # only it can set handlers
        return {}
    found = {sent: signal.getsignal(sent) for sent in _SIGNALS}
    return {sent: handler for sent, handler in found.items() if callable(handler)}
