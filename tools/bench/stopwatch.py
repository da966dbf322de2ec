"""A stopwatch for functions that something else calls."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest.mock import patch


class Stopwatch:
    """Adds up the time that calls take, under a name for each kind of call.

    clock: `time.perf_counter`; or `time.thread_time`, by which neither what other threads and processes do
    counts nor waiting for them.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.seconds: dict[str, float] = {}

    def watch(self, kind: str, *places: tuple[Any, str]) -> AbstractContextManager[Any]:
        """Within, the functions of that name in these modules or classes are timed."""
        stack = ExitStack()
        for owner, name in places:
            stack.enter_context(patch.object(owner, name, self._timed(kind, vars(owner)[name])))
        return stack

    def take(self) -> dict[str, float]:
        """The seconds so far, which begin anew."""
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
