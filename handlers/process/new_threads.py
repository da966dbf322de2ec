"""Threads that do not end, at the end of the process."""

import logging
import threading
import time
from typing import Final

from handlers.process.end_by_signal import end_now
from handlers.process.exit_status import ExitStatus

_log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 0.3
# They wait for a process that ends when this one does, or for Linux, and nothing of theirs is left undone;
# or they read and write files for a faster start, and what was not written whole is not there. Python itself
# waits for the one that loads libraries.
_HARMLESS: Final = frozenset(
    {
        *("bounded-process-ends", "engine-server", "memory-reserve", "read-ahead"),
        *("checkpoint-content", "packed-weights", "torch-libraries"),
    }
)


class NewThreads:
    """The threads that began after this object was made."""

    def __init__(self) -> None:
        self._old = frozenset(threading.enumerate())

    def left(self, timeout_s: float) -> list[str]:
        """Return the names of those that have not ended within `timeout_s`."""
        ends_at = time.monotonic() + timeout_s
        threads = [
            thread
            for thread in threading.enumerate()
            if thread not in self._old and thread.name not in _HARMLESS
        ]
        for thread in threads:
            thread.join(max(0.0, ends_at - time.monotonic()))
        return [thread.name for thread in threads if thread.is_alive()]

    def leave(self, status: int) -> int:
        """Return the exit status if all have ended; else end the process here and now.

        Python would wait without limit for threads of executors, and stop daemons in the middle of C++ that
        does not expect it. A status of success becomes FAILED.
        """
        if names := self.left(_TIMEOUT_S):
            _log.error(
                "the process exits although these threads are still running: %s", ", ".join(sorted(names))
            )
            end_now(status or ExitStatus.FAILED)
        return status
