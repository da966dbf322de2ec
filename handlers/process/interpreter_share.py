"""The interpreter's time, shared between the event loop and the engine's thread."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

_SPAN_S: Final = 0.05  # between two looks at what the loop has computed
_SHORT_SPAN_S: Final = 0.01  # while it computes too much
_MAX_SHARE: Final = 0.5  # of the time that the loop may compute while the engine runs
_MAX_PAUSE_S: Final = 0.05


class InterpreterShare:
    """The limit of the event loop's share: its thread sleeps as long as it has computed without a pause.

    A step of the engine releases the interpreter in each of its hundreds of torch calls, and a loop that
    always has something to do takes it for milliseconds each time: 32 clients that only requested `/health`
    brought generation to a halt. While the loop's thread sleeps, a step runs as if it were alone. A loop that
    computes for less than half of the time, as it does under any load of generations, does not sleep. A
    process whose engine computes elsewhere has no use for this, and would only be half as fast.

    is_engine_busy: whether any sequence runs or waits. clock, processor_clock: seconds of the wall and of the
    loop's thread. sleep: blocks the thread.
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
        """Limit the running loop's share while the block runs."""
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
        """Return the seconds until the share of this span is at its limit; negative where it is below it."""
        computed_s = self._processor_clock() - self._computed_s
        return min(computed_s / _MAX_SHARE - (self._clock() - self._began_s), _MAX_PAUSE_S)

    def _begin_span(self) -> None:
        self._began_s, self._computed_s = self._clock(), self._processor_clock()
