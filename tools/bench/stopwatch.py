"""A stopwatch for calls of functions in other modules."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest.mock import patch


class Stopwatch:
    """A stopwatch that adds up the time of calls by kind.

    clock: `time.perf_counter`, or `time.thread_time` to exclude other threads, other processes and waiting.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.seconds: dict[str, float] = {}

    def watch(self, kind: str, *places: tuple[Any, str]) -> AbstractContextManager[Any]:
        """Measure the functions of these names in the modules or classes while the block runs."""
        stack = ExitStack()
        for owner, name in places:
            stack.enter_context(patch.object(owner, name, self._timed(kind, vars(owner)[name])))
        return stack

    def take(self) -> dict[str, float]:
        """Return the seconds so far, and reset them."""
        seconds, self.seconds = self.seconds, {}
        return seconds

    def _timed(self, kind: str, call: Any) -> Any:
        if isinstance(call, classmethod):
            return classmethod(self._timed(kind, call.__func__))

        def timed(*arguments: Any, **named: Any) -> Any:
            started = self._clock()
            try:
                return call(*arguments, **named)
            finally:
                self.seconds[kind] = self.seconds.get(kind, 0.0) + self._clock() - started

        return timed
