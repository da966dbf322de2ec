"""The bounds of a JSON Schema's numbers, read exactly."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, lcm

from engine.grammar.schema.walk import Schema


def least_multiple(schema: Schema, scale: Fraction = Fraction(1)) -> int | None:
    """Return the least whole number within the lower bounds times `scale`; None without any."""
    inclusive, exclusive = _scaled(schema, "minimum", scale), _scaled(schema, "exclusiveMinimum", scale)
    return max([*map(ceil, inclusive), *(floor(bound) + 1 for bound in exclusive)], default=None)


def greatest_multiple(schema: Schema, scale: Fraction = Fraction(1)) -> int | None:
    """Return the largest whole number within the upper bounds times `scale`; None without any."""
    inclusive, exclusive = _scaled(schema, "maximum", scale), _scaled(schema, "exclusiveMaximum", scale)
    return min([*map(floor, inclusive), *(ceil(bound) - 1 for bound in exclusive)], default=None)


def has_multiples(schema: Schema, scale: Fraction = Fraction(1)) -> bool:
    """Return whether a whole number lies between the bounds times `scale`."""
    low, high = least_multiple(schema, scale), greatest_multiple(schema, scale)
    return low is None or high is None or low <= high


def has_numbers(schema: Schema) -> bool:
    """Return whether any number lies between the bounds."""
    lows = [*_scaled(schema, "minimum"), *_scaled(schema, "exclusiveMinimum")]
    highs = [*_scaled(schema, "maximum"), *_scaled(schema, "exclusiveMaximum")]
    if not lows or not highs or max(lows) < min(highs):
        return True
    exclusive = [*_scaled(schema, "exclusiveMinimum"), *_scaled(schema, "exclusiveMaximum")]
    return max(lows) == min(highs) and max(lows) not in exclusive


def common_multiple(one: Fraction, other: Fraction) -> Fraction:
    """Return the least common multiple."""
    return Fraction(
        lcm(one.numerator * other.denominator, other.numerator * one.denominator),
        one.denominator * other.denominator,
    )


def plain_number(exact: Fraction) -> float:
    """Return the number that JSON writes for an exact one."""
    return exact.numerator if exact.denominator == 1 else float(exact)


def _scaled(schema: Schema, bound: str, scale: Fraction = Fraction(1)) -> Iterator[Fraction]:
    if bound in schema:
        yield Fraction(repr(schema[bound])) * scale
