"""The time of a step by its number of rows, learned from the steps that ran; pure, no clock."""

# The time of a further row as a share of that of a step with one row, until steps have shown it. From one row
# to eight, linear layers take 0.02 a row with AVX-512, 0.24 with AVX2, and 0.19 to 0.47 in torch's float32
# (docs/cpu_profile.md, "Instruction sets").
PRIOR_SHARE = 0.25
# The weight that a step has lost when as many others have followed.
_MEMORY_STEPS = 50
# The weight of PRIOR_SHARE, in squares of rows: a few steps with drafts outweigh it.
_PRIOR_WEIGHT = 8.0
# A step that takes longer than so many times what was expected was held up by something else.
_LARGEST_FACTOR = 3.0


class StepCosts:
    """A line fitted to the seconds of decoding steps by their rows, the latest steps weighing most."""

    def __init__(self) -> None:
        self._weight = self._rows = self._seconds = self._rows_squared = self._product = 0.0

    def observe(self, num_rows: int, seconds: float) -> None:
        """Take one step that decoded."""
        if self._weight:
            seconds = min(seconds, _LARGEST_FACTOR * self.seconds(num_rows))
        keep = 1 - 1 / _MEMORY_STEPS
        self._weight = keep * self._weight + 1
        self._rows = keep * self._rows + num_rows
        self._seconds = keep * self._seconds + seconds
        self._rows_squared = keep * self._rows_squared + num_rows * num_rows
        self._product = keep * self._product + num_rows * seconds

    def seconds(self, num_rows: float) -> float:
        """Return the seconds that a step of so many rows takes; in any unit before the first step."""
        if not self._weight:
            return 1 + PRIOR_SHARE * (num_rows - 1)
        mean_rows, mean_seconds = self._rows / self._weight, self._seconds / self._weight
        return max(mean_seconds + self.row_seconds * (num_rows - mean_rows), 0.1 * mean_seconds)

    @property
    def row_seconds(self) -> float:
        """The seconds that one more row takes, in the unit of `seconds`."""
        if not self._weight:
            return PRIOR_SHARE
        mean_rows, mean_seconds = self._rows / self._weight, self._seconds / self._weight
        expected = PRIOR_SHARE * mean_seconds / (1 + PRIOR_SHARE * (mean_rows - 1))
        covariance = self._product - self._rows * mean_seconds
        variance = self._rows_squared - self._rows * mean_rows
        return max((covariance + _PRIOR_WEIGHT * expected) / (variance + _PRIOR_WEIGHT), 0.0)
