"""Sharing of the interpreter lock between the event loop and the engine's thread."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

_SPAN_S: Final = 0.05  # between two measurements
_SHORT_SPAN_S: Final = 0.01  # between two measurements while the loop exceeds its share
_MAX_SHARE: Final = 0.5  # of the time, for the loop while the engine runs
_MAX_PAUSE_S: Final = 0.05


class InterpreterShare:
    """A limit on the event loop's share of the interpreter: if it computes more, its thread sleeps.

    A step of the engine releases the interpreter lock in each of its hundreds of torch calls, and a busy
    event loop then holds it for milliseconds: 32 clients that only requested `/health` stopped generation
    almost completely. While the loop's thread sleeps, a step runs undisturbed. A loop that computes for less
    than half of the time, as under any load of generations, does not sleep. Do not use this in a process
    whose engine runs elsewhere: it would be half as fast.

    is_engine_busy: returns whether any sequence runs or waits. clock: wall-clock seconds. processor_clock:
    CPU seconds of the loop's thread. sleep: blocks the thread.
    """

    def __init__(
        self,
        is_engine_busy: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.perf_counter,
        processor_clock: Callable[[], float] = time.thread_time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._is_engine_busy = is_engine_busy
        self._clock = clock
        self._processor_clock = processor_clock
        self._sleep = sleep

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None, None]:
        """Limit the share of the running event loop while the block runs."""
        self._loop = asyncio.get_running_loop()
        self._begin_span()
        self._timer = self._loop.call_later(_SPAN_S, self._look)
        try:
            yield
        finally:
            self._timer.cancel()

    def _look(self) -> None:
        pause_s = self._pause_s() if self._is_engine_busy() else 0.0
        if pause_s > 0.0:
            self._sleep(pause_s)
        self._begin_span()
        self._timer = self._loop.call_later(_SHORT_SPAN_S if pause_s > 0.0 else _SPAN_S, self._look)

    def _pause_s(self) -> float:
        """Return the seconds to sleep until the loop's share is at the limit; negative if it is below."""
        computed_s = self._processor_clock() - self._computed_s
        return min(computed_s / _MAX_SHARE - (self._clock() - self._began_s), _MAX_PAUSE_S)

    def _begin_span(self) -> None:
        self._began_s, self._computed_s = self._clock(), self._processor_clock()
