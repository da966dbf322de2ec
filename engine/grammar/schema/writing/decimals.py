"""The regular expressions of the numbers on one side of a bound, written without exponents."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

_ANY: Final = r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_FRACTION: Final = r"(?:\.[0-9]+)?"


def numbers_above(bound: float, *, is_inclusive: bool) -> str:
    """Return the expression of the numbers above a bound."""
    exact = Decimal(repr(bound))
    if exact >= 0:
        return f"/{_one_of(_greater(exact, is_inclusive))}/"
    return f"/{_ANY}|-{_one_of(_less(-exact, is_inclusive))}/"


def numbers_below(bound: float, *, is_inclusive: bool) -> str:
    """Return the expression of the numbers below a bound."""
    exact = Decimal(repr(bound))
    if exact < 0 or (not exact and not is_inclusive):
        return f"/-{_one_of(_greater(abs(exact), is_inclusive))}/"
    return f"/-{_ANY}|{_one_of(_less(exact, is_inclusive))}/"


def _one_of(choices: Iterator[str]) -> str:
    return f"(?:{'|'.join(choices)})"


def _parts(bound: Decimal) -> tuple[str, str]:
    """Return the digits of a bound before the point, and those after it without zeros at the end."""
    whole, _, fraction = f"{bound:f}".partition(".")
    return whole, fraction.rstrip("0")


def _equal(whole: str, fraction: str) -> str:
    return rf"{whole}\.{fraction}0*" if fraction else rf"{whole}(?:\.0+)?"


def _greater(bound: Decimal, is_inclusive: bool) -> Iterator[str]:
    """Yield the expressions of the numbers without a sign that are greater: those with more digits before the
    point, or with a larger digit after equal ones."""
    whole, fraction = _parts(bound)
    yield rf"[1-9][0-9]{{{len(whole)},}}{_FRACTION}"
    for at, digit in enumerate(whole):
        if digit != "9":
            yield rf"{whole[:at]}[{int(digit) + 1}-9][0-9]{{{len(whole) - at - 1}}}{_FRACTION}"
    for at, digit in enumerate(fraction):
        if digit != "9":
            yield rf"{whole}\.{fraction[:at]}[{int(digit) + 1}-9][0-9]*"
    yield rf"{whole}\.{fraction}0*[1-9][0-9]*"
    if is_inclusive:
        yield _equal(whole, fraction)


def _less(bound: Decimal, is_inclusive: bool) -> Iterator[str]:
    """Yield the expressions of the numbers without a sign that are less, in the same way."""
    whole, fraction = _parts(bound)
    if len(whole) > 1:
        yield rf"(?:0|[1-9][0-9]{{0,{len(whole) - 2}}}){_FRACTION}"
    for at, digit in enumerate(whole):
        least = 1 if at == 0 and len(whole) > 1 else 0
        if int(digit) > least:
            yield rf"{whole[:at]}[{least}-{int(digit) - 1}][0-9]{{{len(whole) - at - 1}}}{_FRACTION}"
    for at, digit in enumerate(fraction):
        yield rf"{whole}\.{fraction[:at]}" if at else whole
        if digit != "0":
            yield rf"{whole}\.{fraction[:at]}[0-{int(digit) - 1}][0-9]*"
    if is_inclusive:
        yield _equal(whole, fraction)
