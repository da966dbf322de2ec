"""Work for somebody who may stop waiting for it, such as a client that leaves."""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final


class Attempt:
    """Work that any thread may cancel. Its parts that can be ended follow one another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end: Callable[[], object] | None = None
        self.is_cancelled = False

    def cancel(self) -> None:
        """End the part that runs, and have every later one end as soon as it begins."""
        with self._lock:
            self.is_cancelled = True
            end = self._end
        if end is not None:
            end()

    def begin(self, end: Callable[[], object]) -> None:
        """Begin a part. end: ends it; called at once if the work was cancelled before."""
        with self._lock:
            self._end = end
        if self.is_cancelled:
            end()


_CURRENT: Final[ContextVar[Attempt | None]] = ContextVar("_CURRENT", default=None)


def current_attempt() -> Attempt:
    """Return the attempt that this context works for; a new one, which nobody cancels, if there is none."""
    return _CURRENT.get() or Attempt()


def set_current_attempt(attempt: Attempt) -> None:
    """Let what runs in this context work for an attempt."""
    _CURRENT.set(attempt)
