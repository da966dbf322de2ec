"""An event loop whose clock jumps to its next timer: a test of seconds takes none and is exact."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from typing_extensions import override

ResultT = TypeVar("ResultT")


class _JumpingSelector(selectors.DefaultSelector):
    """Passes over the time until the next timer. now_s: how much it has passed over."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("everything waits, and no timer runs")
            self.now_s += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A loop for what stays in its thread: whoever waits for a thread or for the network is passed over."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    @override
    def time(self) -> float:
        return self._jumping.now_s


def run_in_virtual_time(main: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run a coroutine to its end. For a test that is no coroutine itself, as loops do not nest."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
