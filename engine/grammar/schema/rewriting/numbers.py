"""The rewriting of a JSON Schema's bounds of numbers into ones that xgrammar honours."""

from typing import Final

from engine.grammar.schema.keywords import BOUNDS, WHOLE
from engine.grammar.schema.number_bounds import greatest_multiple, has_multiples, least_multiple
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

_MOST: Final = 2**63 - 1  # the largest whole number that xgrammar takes for a bound
_DECIMALS: Final = 6  # that xgrammar writes
_MORE_DECIMALS: Final = 9  # that an automaton writes


def rewrite_numbers(schema: Schema) -> None:
    """Make bounds of integers whole numbers of 64 bits, and give numbers the decimals that lie between close
    bounds; in place.

    Raises InvalidGrammar, without the place, if there is no such number.
    """
    declared = schema.get("type", [])
    types = {declared} if isinstance(declared, str) else {*declared}
    if "multipleOf" in schema or schema.keys().isdisjoint(BOUNDS) or not schema.keys().isdisjoint(WHOLE):
        return
    if "number" in types:
        _give_decimals(schema)
    elif "integer" in types:
        _make_whole(schema)


def _make_whole(schema: Schema) -> None:
    if all(isinstance(schema.get(bound, 0), int) and abs(schema.get(bound, 0)) <= _MOST for bound in BOUNDS):
        return
    low, high = least_multiple(schema), greatest_multiple(schema)
    if (low is not None and low > _MOST) or (high is not None and high < -_MOST):
        raise InvalidGrammar("integers may have 64 bits")
    for bound in BOUNDS:
        schema.pop(bound, None)
    if low is not None:
        schema["minimum"] = max(low, -_MOST)
    if high is not None:
        schema["maximum"] = min(high, _MOST)


def _give_decimals(schema: Schema) -> None:
    if has_multiples(schema, 10**_DECIMALS):
        return
    if not has_multiples(schema, 10**_MORE_DECIMALS):
        raise InvalidGrammar(f"no number of {_MORE_DECIMALS} decimals lies between the bounds")
    schema["multipleOf"] = float(f"1e-{_MORE_DECIMALS}")
