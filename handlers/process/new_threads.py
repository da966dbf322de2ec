"""Handling of threads that are still running when the process should exit."""

import logging
import threading
import time
from typing import Final

from handlers.process.end_by_signal import end_now
from handlers.process.exit_status import ExitStatus

_log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 0.3
# These threads can be stopped at any time: they wait for a child process or for the kernel, or they read and
# write cache files, which are replaced atomically. The last two send traces, and had their time to do so.
_HARMLESS: Final = frozenset(
    {
        *("bounded-process-ends", "checkpoint-content", "engine-server", "packed-weights"),
        *("traces", "OtelBatchSpanRecordProcessor"),
    }
)


class NewThreads:
    """The threads that were started after this object was created."""

    def __init__(self) -> None:
        self._old = frozenset(threading.enumerate())

    def left(self, timeout_s: float) -> list[str]:
        """Wait for the threads up to `timeout_s`, and return the names of those that still run."""
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
        """Return the exit status if all threads have ended; otherwise end the process immediately.

        Python would wait for executor threads without limit, and stop daemon threads in the middle of C++
        code that does not expect it. An exit status of success becomes FAILED.
        """
        if names := self.left(_TIMEOUT_S):
            _log.error(
                "the process exits although these threads are still running: %s", ", ".join(sorted(names))
            )
            end_now(status or ExitStatus.FAILED)
        return status
