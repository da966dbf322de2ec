"""A token bucket for rate limits."""

from typing import Final

_ROUNDING: Final = 1e-9  # tolerance for rounding errors; the smallest cost is 1


class TokenBucket:
    """A bucket of at most `per_minute` units, full at first, that refills evenly at that rate.

    The bucket can be overdrawn, since a cost may only be known afterwards; it is then empty until the debt is
    refilled. Invariants: the level is at most `per_minute`; a caller that only spends while `wait_s` is 0
    spends at most per_minute * (1 + t / 60) plus the last cost in t seconds. now_s: monotonic seconds.
    """

    def __init__(self, per_minute: int, now_s: float) -> None:
        self.per_minute = per_minute
        self._level = float(per_minute)
        self._updated_s = now_s

    def wait_s(self, now_s: float) -> float:
        """Return the seconds until one unit is available; 0.0 if there is one now."""
        missing = 1.0 - self._level_at(now_s)
        return 0.0 if missing <= _ROUNDING else missing * 60.0 / self.per_minute

    def left(self, now_s: float) -> int:
        """Return how many units it has; 0 if it is overdrawn."""
        return max(0, int(self._level_at(now_s) + _ROUNDING))

    def fills_in_s(self, now_s: float) -> float:
        """Return the seconds until it is full, if nothing is spent."""
        return (self.per_minute - self._level_at(now_s)) * 60.0 / self.per_minute

    def spend(self, num_units: int, now_s: float) -> None:
        """Remove units, even if the bucket has fewer."""
        self._level = self._level_at(now_s) - num_units
        self._updated_s = now_s

    def _level_at(self, now_s: float) -> float:
        refilled = (now_s - self._updated_s) * self.per_minute / 60.0
        return min(float(self.per_minute), self._level + refilled)
