"""How long functions take while something else runs them."""

import time
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest.mock import patch


class Stopwatch:
    """Adds up the processor time of its thread that calls take, under a name for each kind of call.

    Processor time: what other processes and threads do does not count, nor does waiting for them.
    """

    def __init__(self) -> None:
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
            started = time.thread_time()
            try:
                return call(*arguments, **named)
            finally:
                self.seconds[kind] = self.seconds.get(kind, 0.0) + time.thread_time() - started

        return timed
