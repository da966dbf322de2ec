"""A watchdog that ends a process which does not stop by itself."""

import faulthandler
import time
from collections.abc import Callable
from typing import Final, Protocol

# Enough for flushing the last events to clients and for the end of threads. The process so ends at most three
# seconds after its grace period.
FORCE_S: Final = 2.8
_STDERR: Final = 2


class DumpLater(Protocol):
    """The signature of `faulthandler.dump_traceback_later`."""

    def __call__(self, timeout: float, *, exit: bool, file: int) -> None: ...


class Watchdog:
    """A watchdog that writes the tracebacks of all threads and ends the process after a deadline.

    This runs in a C thread without the interpreter lock, so that no other thread can prevent it. The exit
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
        """Set a deadline in this number of seconds; an earlier deadline is kept."""
        now = self._clock()
        if self._ends_at is None or now + seconds < self._ends_at:
            self._ends_at = now + seconds
            self._dump_later(seconds, exit=True, file=_STDERR)

    def disarm(self) -> None:
        """Cancel the deadline."""
        if self._ends_at is not None:
            self._ends_at = None
            faulthandler.cancel_dump_traceback_later()
