"""The automaton of the multiples of a number between bounds, as JSON writes them."""

from collections.abc import Iterable
from decimal import Decimal
from math import ceil, floor
from typing import NamedTuple

from engine.grammar.automata.automaton import Automaton, Work, explore

MAX_DECIMALS = 9

_MINUS, _POINT, _ZERO = ord("-"), ord("."), ord("0")


class _Read(NamedTuple):
    """The state after the digits of a number that have been read."""

    num_whole: int  # at most one more than the longest bound has
    num_decimals: int
    has_point: bool
    remainder: int  # of the digits by the multiple
    low: int  # -1, 0 or 1: less than, equal to or greater than as many digits of the lower bound
    high: int
    is_zero: bool


def multiples_automaton(
    multiple: float, low: Decimal | None, high: Decimal | None, *, is_integer: bool, work: Work
) -> Automaton:
    """Return the smallest automaton of the multiples from `low` to `high`; without states if there are none.

    Numbers have no exponent. Raises InvalidGrammar where it needs too many states.
    """
    step = Decimal(repr(multiple)).normalize()
    decimals = max(0, -int(step.as_tuple().exponent))
    if is_integer and decimals:  # the least whole multiple
        numerator, denominator = step.as_integer_ratio()
        step, decimals = Decimal(numerator), 0
    scale = Decimal(10) ** decimals
    scaled_low = None if low is None else ceil(low * scale)
    scaled_high = None if high is None else floor(high * scale)
    scaled = int(step * scale)
    least = max(0, scaled_low or 0) if scaled_low is not None else 0
    most = scaled_high
    positive = _Magnitudes(scaled, decimals, least, most)
    negative = _Magnitudes(
        scaled,
        decimals,
        max(1, -scaled_high) if scaled_high is not None else 1,
        None if scaled_low is None else -scaled_low,
    )

    def follow(state: tuple[str, _Read | None]) -> Iterable[tuple[int, int, tuple[str, _Read | None]]]:
        sign, read = state
        if sign == "" and read is None:
            yield _MINUS, _MINUS, ("-", None)
        magnitudes = negative if sign == "-" else positive
        for code, after in magnitudes.follow(read):
            yield code, code, (sign or "+", after)

    def accepts(state: tuple[str, _Read | None]) -> bool:
        sign, read = state
        return read is not None and (negative if sign == "-" else positive).accepts(read)

    start: tuple[str, _Read | None] = ("", None)
    return explore(start, follow, accepts, work).minimal(work)


class _Magnitudes:
    """The numbers without sign from `low` to `high`, both scaled to whole numbers."""

    def __init__(self, multiple: int, decimals: int, low: int, high: int | None) -> None:
        self._multiple = multiple
        self._decimals = decimals
        self._is_empty = high is not None and high < low
        self._low = str(low).zfill(decimals + 1)
        self._high = None if high is None or high < 0 else str(high).zfill(decimals + 1)
        self._top = max(len(self._low), len(self._high or "")) - decimals + 1

    def follow(self, read: _Read | None) -> Iterable[tuple[int, _Read]]:
        if self._is_empty:
            return
        if read is None:
            start = _Read(0, 0, False, 0, 0, 0, False)
            yield from ((_ZERO + digit, self._digit(start, digit)) for digit in range(10))
        elif not read.has_point:
            if not read.is_zero:
                yield from ((_ZERO + digit, self._digit(read, digit)) for digit in range(10))
            if self._decimals:
                yield _POINT, self._point(read)
        elif read.num_decimals < self._decimals:
            yield from ((_ZERO + digit, self._digit(read, digit)) for digit in range(10))

    def _digit(self, read: _Read, digit: int) -> _Read:
        at = read.num_whole
        low, high = (
            _compared(
                already,
                bound,
                at if not read.has_point else len(bound) - self._decimals + read.num_decimals,
                digit,
            )
            for already, bound in ((read.low, self._low), (read.high, self._high or ""))
        )
        return _Read(
            read.num_whole if read.has_point else min(at + 1, self._top),
            read.num_decimals + read.has_point,
            read.has_point,
            (read.remainder * 10 + digit) % self._multiple,
            low,
            high,
            not at and not digit,
        )

    def _point(self, read: _Read) -> _Read:
        low, high = (
            _by_length(already, read.num_whole, len(bound) - self._decimals)
            for already, bound in ((read.low, self._low), (read.high, self._high or ""))
        )
        return read._replace(has_point=True, low=low, high=high, num_whole=1, is_zero=False)

    def accepts(self, read: _Read) -> bool:
        if read.has_point and not read.num_decimals:
            return False
        whole = read if read.has_point else self._point(read)
        for _ in range(self._decimals - whole.num_decimals):
            whole = self._digit(whole, 0)
        return not whole.remainder and whole.low >= 0 and (self._high is None or whole.high <= 0)


def _compared(already: int, bound: str, at: int, digit: int) -> int:
    """Return the comparison of one digit more with the bound's digits."""
    if already or at >= len(bound):
        return already
    other = int(bound[at])
    return (digit > other) - (digit < other)


def _by_length(already: int, num_digits: int, other: int) -> int:
    return already if num_digits == other else 1 if num_digits > other else -1
