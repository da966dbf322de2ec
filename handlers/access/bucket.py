"""A budget that refills with time, for rate limits."""

from typing import Final

_ROUNDING: Final = 1e-9  # of sums of floats; far below the one unit that anything costs


class TokenBucket:
    """A bucket of at most `per_minute` units, which refills evenly by as many a minute. It is full at first.

    A cost may only be known afterwards, so the bucket can be overdrawn, and stays empty until that is
    refilled. Invariants: the level is at most `per_minute`; a caller that spends only while `wait_s` is 0
    spends in t seconds at most per_minute * (1 + t / 60) and the last cost. The caller passes the time, in
    seconds of a monotonic clock.
    """

    def __init__(self, per_minute: int, now_s: float) -> None:
        self.per_minute = per_minute
        self._level = float(per_minute)
        self._updated_s = now_s

    def wait_s(self, now_s: float) -> float:
        """Return the seconds until there is one unit; 0.0 if there is one."""
        missing = 1.0 - self._level_at(now_s)
        return 0.0 if missing <= _ROUNDING else missing * 60.0 / self.per_minute

    def spend(self, num_units: int, now_s: float) -> None:
        """Take units out, even if the bucket does not have them."""
        self._level = self._level_at(now_s) - num_units
        self._updated_s = now_s

    def _level_at(self, now_s: float) -> float:
        refilled = (now_s - self._updated_s) * self.per_minute / 60.0
        return min(float(self.per_minute), self._level + refilled)
