"""The acceptance of drafts: the share that comes true, and pauses after those that do not; pure, no clock."""

# Before the first draft, and whenever a sequence whose drafts do not pay tries again.
_FIRST_RATE = 0.5
_LOWEST_RATE = 0.1
_HIGHEST_RATE = 0.98
# The weight of the latest token: the rate follows a change of the text within some ten tokens.
_WEIGHT = 0.2
# The tokens from a draft that failed until the next try, doubled with each that fails in a row. A text
# without repetitions so tries some seven times in its first 256 tokens, a row each time: less than 1% of its
# time.
_FIRST_PAUSE, _LONGEST_PAUSE = 4, 128


class Acceptance:
    """The acceptance of one sequence's drafts. rate: the estimated share of drafted tokens that come true."""

    def __init__(self) -> None:
        self.rate = _FIRST_RATE
        self._pause = _FIRST_PAUSE
        self._resumes_at = 0  # number of tokens

    def chance(self, num_tokens: int) -> float:
        """Return the chance to reckon with that the first token of a draft comes true.

        num_tokens: those that the sequence has now. After a pause a low rate is not believed.
        """
        return max(self.rate, _FIRST_RATE) if num_tokens >= self._resumes_at else self.rate

    def record(self, num_drafted: int, num_accepted: int, num_tokens: int) -> None:
        """Take the result of a draft. num_tokens: those that the sequence has now.

        The tokens behind the first that is wrong say nothing.
        """
        for _ in range(num_accepted):
            self.rate += _WEIGHT * (1 - self.rate)
        if num_accepted < num_drafted:
            self.rate -= _WEIGHT * self.rate
        self.rate = min(max(self.rate, _LOWEST_RATE), _HIGHEST_RATE)
        if num_accepted:
            self._pause, self._resumes_at = _FIRST_PAUSE, 0
        else:
            self._resumes_at = num_tokens + self._pause
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
