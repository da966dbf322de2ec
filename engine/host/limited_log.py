"""A rate limit for errors in the log that may occur in every step."""

import logging
import time
from collections.abc import Callable

_INTERVAL_S = 10.0


class LimitedLog:
    """Logs the first error of each interval, with the number of errors left out since the last line.

    clock: returns monotonic seconds.
    """

    def __init__(
        self,
        log: logging.Logger,
        *,
        interval_s: float = _INTERVAL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._interval_s = interval_s
        self._clock = clock
        self._next_at = clock()
        self._num_left_out = 0

    def error(self, message: str, *arguments: object, exc_info: bool = False) -> None:
        """Log an error, with the arguments of `logging.Logger.error`, or count it as left out."""
        now = self._clock()
        if now < self._next_at:
            self._num_left_out += 1
            return
        if self._num_left_out:
            message += f" (and {self._num_left_out} more such errors before it)"
        self._log.error(message, *arguments, exc_info=exc_info)
        self._next_at = now + self._interval_s
        self._num_left_out = 0
