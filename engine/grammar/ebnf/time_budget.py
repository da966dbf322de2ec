"""The processor time that the grammar of one sequence may take; pure.

Every other sequence waits while a token is followed, and a grammar that reads a text in very many ways may
need ever more for the next.
"""

from typing import Final

# For a mask, or for following one token: a thousand times the usual.
MAX_STEP_S: Final = 0.25
# For one byte of a token, of which the next may take several times as long.
MAX_BYTE_S: Final = 0.05
# For one byte, where the mask behind it is sure to be quick: xgrammar may try the bytes of most tokens for
# that.
MAX_SURE_BYTE_S: Final = 0.001
# For a whole text, at its start and for each byte: ten times the usual. The matcher keeps all that it has
# read, about a byte for each nanosecond; where the ways to read a text become more with its length, a
# megabyte of text would fill any memory, long before one token of it is slow.
MAX_FIRST_S: Final = 0.25
MAX_MEAN_BYTE_S: Final = 0.00003


class TimeBudget:
    """The time that a text has taken so far, beside what it may take; all times are in seconds.

    is_exceeded: whether anything took longer than it may; this never changes back. longest_byte_s: the time
    of the slowest byte of the last token.
    """

    __slots__ = ("_spare_s", "is_exceeded", "longest_byte_s")

    def __init__(self) -> None:
        self.is_exceeded = False
        self.longest_byte_s = 0.0
        self._spare_s = MAX_FIRST_S

    @property
    def is_quick(self) -> bool:
        """True if what follows the last token is sure to be quick."""
        return self.longest_byte_s <= MAX_SURE_BYTE_S

    def count_step(self, taken_s: float) -> None:
        """Count one step, such as the filling of a mask, which has a bound of its own."""
        self.is_exceeded |= taken_s > MAX_STEP_S

    def count_byte(self, taken_s: float, token_s: float) -> None:
        """Count one byte. token_s: taken by all bytes of its token so far, this one among them."""
        self.longest_byte_s = max(self.longest_byte_s, taken_s)
        self.is_exceeded |= taken_s > MAX_BYTE_S or token_s > MAX_STEP_S

    def count_text(self, num_bytes: int, taken_s: float) -> None:
        """Count the bytes by which the text has grown, which allow for more time, and the time they took."""
        self._spare_s += MAX_MEAN_BYTE_S * num_bytes - taken_s
        self.is_exceeded |= self._spare_s < 0
