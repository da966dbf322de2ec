"""The last resort against a process that does not end."""

import faulthandler
import time
from collections.abc import Callable
from typing import Final, Protocol

# The flush of what clients have not read yet, and the end of threads, fit in; and so the process has ended
# three seconds after its grace period at the latest.
FORCE_S: Final = 2.8
_STDERR: Final = 2


class DumpLater(Protocol):
    """The signature of `faulthandler.dump_traceback_later`."""

    def __call__(self, timeout: float, *, exit: bool, file: int) -> None: ...


class Watchdog:
    """The watchdog that ends the process if it has not ended in time, and writes all threads' tracebacks.

    A thread in C does this, without the interpreter's lock, so that no other thread can prevent it. The exit
    status is then ExitStatus.FAILED.
    """

    def __init__(
        self,
        dump_later: DumpLater = faulthandler.dump_traceback_later,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._dump_later = dump_later
        self._clock = clock
        self._ends_at: float | None = None

    def arm(self, seconds: float) -> None:
        """Give the process so many seconds; an earlier deadline stays."""
        now = self._clock()
        if self._ends_at is None or now + seconds < self._ends_at:
            self._ends_at = now + seconds
            self._dump_later(seconds, exit=True, file=_STDERR)

    def disarm(self) -> None:
        """Cancel the deadline."""
        if self._ends_at is not None:
            self._ends_at = None
            faulthandler.cancel_dump_traceback_later()
