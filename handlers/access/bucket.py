"""A budget that refills with time, for limits of a rate."""

from typing import Final

_ROUNDING: Final = 1e-9  # of sums of floats; far below the one unit that anything costs


class TokenBucket:
    """Holds at most `per_minute` units, and refills evenly by as many a minute. It is full at first.

    What something costs may be known only when it is over, so the bucket can be overdrawn, and is empty until
    that is refilled. Invariants: the level is at most `per_minute`; who spends only where `wait_s` is 0
    spends in t seconds at most per_minute * (1 + t / 60) and the last cost. The caller brings the time, in
    seconds of a clock that never goes back.
    """

    def __init__(self, per_minute: int, now_s: float) -> None:
        self.per_minute = per_minute
        self._level = float(per_minute)
        self._updated_s = now_s

    def wait_s(self, now_s: float) -> float:
        """Seconds until there is one unit; 0.0 where there is."""
        missing = 1.0 - self._level_at(now_s)
        return 0.0 if missing <= _ROUNDING else missing * 60.0 / self.per_minute

    def spend(self, num_units: int, now_s: float) -> None:
        """Take units out, whether they are there or not."""
        self._level = self._level_at(now_s) - num_units
        self._updated_s = now_s

    def _level_at(self, now_s: float) -> float:
        refilled = (now_s - self._updated_s) * self.per_minute / 60.0
        return min(float(self.per_minute), self._level + refilled)
