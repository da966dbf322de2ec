"""The time of a step by its number of rows, learned from the steps that ran; pure, no clock."""

# The time of a further row as a share of that of a step with one row, until a step has shown it. From one row
# to eight it is 0.03 to 0.1 where compiled code multiplies, and up to 0.47 in torch's float32.
PRIOR_SHARE = 0.15
# Steps of more rows are not learned from: nothing is drafted for so many sequences.
_MOST_ROWS = 64
# A step that takes so many times what was expected, or so much less, was disturbed by something else.
_LARGEST_FACTOR = 1.5
# The most observations that a number of rows counts for, and the share that is left of each after another
# step. What has not been seen for a thousand steps is forgotten: it may have been wrong.
_MOST_WEIGHT, _KEPT, _LEAST_WEIGHT = 30.0, 0.995, 0.1
_LEVEL_WEIGHT = 0.3
# How long one observation is enough to compare others with: the first may have been wrong.
_STEPS_BETWEEN = 8
_PRIOR_WEIGHT = 1.5  # from the first observation on


def _prior(num_rows: float) -> float:
    return 1 + PRIOR_SHARE * (num_rows - 1)


class StepCosts:
    """A level that follows the latest steps, and a factor for each number of rows that was seen.

    Machines slow down and recover, and texts grow: all steps do so alike. Factors are of no unit of their
    own, and only their ratios matter.
    """

    def __init__(self) -> None:
        self._level = 0.0  # seconds; 0 before the first step
        self._factors: dict[int, float] = {}  # by rows
        self._weights: dict[int, float] = {}
        self._num_steps = 0
        self._seen_at: dict[int, int] = {}  # the number of steps before, by rows

    def observe(self, num_rows: int, seconds: float) -> None:
        """Take one step that decoded."""
        if num_rows > _MOST_ROWS or seconds <= 0:
            return
        if not self._level:
            self._level = seconds / _prior(num_rows)
        expected = self._factor(num_rows)
        ratio = seconds / (expected * self._level)
        ratio = min(max(ratio, 1 / _LARGEST_FACTOR), _LARGEST_FACTOR)
        self._forget()
        weight = self._weights.get(num_rows, 0.0)
        self._level *= ratio ** (_LEVEL_WEIGHT * weight / (weight + 1))
        self._factors[num_rows] = expected * ratio ** (1 / (weight + _PRIOR_WEIGHT))
        self._weights[num_rows] = min(weight + 1, _MOST_WEIGHT)
        self._num_steps += 1
        self._seen_at[num_rows] = self._num_steps

    def knows(self, num_rows: int) -> bool:
        """Return whether a step of so many rows was seen lately: the more often before, the longer ago."""
        weight = self._weights.get(num_rows, 0.0)
        return self._num_steps - self._seen_at.get(num_rows, 0) < _STEPS_BETWEEN * weight

    def seconds(self, num_rows: int) -> float:
        """Return the seconds that a step of so many rows takes; in any unit before the first step."""
        return (self._level or 1.0) * self._factor(num_rows)

    def _factor(self, num_rows: int) -> float:
        """Return the factor that was seen. Else it is reckoned from fewer rows, at most that of more rows, so
        that numbers between two that were seen are tried too: the time grows in leaps."""
        known = self._factors
        if num_rows in known:
            return known[num_rows]
        fewer = max((rows for rows in known if rows < num_rows), default=None)
        more = min((rows for rows in known if rows > num_rows), default=None)
        if fewer is not None:
            grown = known[fewer] + PRIOR_SHARE * (num_rows - fewer)
            return grown if more is None else min(grown, known[more])
        if more is not None:
            return known[more] * _prior(num_rows) / _prior(more)
        return _prior(num_rows)

    def _forget(self) -> None:
        self._weights = {
            rows: kept for rows, weight in self._weights.items() if (kept := _KEPT * weight) > _LEAST_WEIGHT
        }
        self._factors = {rows: self._factors[rows] for rows in self._weights}
