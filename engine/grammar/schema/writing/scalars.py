"""The terminals of a JSON Schema's strings, and the rules of its numbers."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Final

from engine.grammar.lark.lark_grammar import LarkGrammar, literal
from engine.grammar.patterns.formats import FORMAT_PATTERNS
from engine.grammar.patterns.parsed_pattern import parsed_pattern
from engine.grammar.patterns.pattern_terminals import PatternTerminals, check_periods
from engine.grammar.schema.keywords import BOUNDS, FRACTION, PATTERNS
from engine.grammar.schema.merging.pairs import NoValue
from engine.grammar.schema.number_bounds import (
    common_multiple,
    greatest_multiple,
    least_multiple,
    plain_number,
)
from engine.grammar.schema.walk import Schema
from engine.grammar.schema.writing.decimals import numbers_above, numbers_below
from engine.port.errors import InvalidGrammar

_HEX: Final = "[0-9a-fA-F]"
_CHARACTER: Final = (
    r'(?:[^"\\\x00-\x1f]|\\(?:["\\\x2fbfnrt]|u[0-9a-cA-CefEF][0-9a-fA-F]{3}|u[dD][0-7][0-9a-fA-F]{2}'
    rf"|u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}))"
)
_MOST_CHARACTERS: Final = 2**31 - 1  # that llguidance counts

# All are within the floats of 64 bits.
_INTEGER: Final = "/-?(0|[1-9][0-9]{0,299})/"
_NUMBER: Final = r"/-?(0|[1-9][0-9]{0,199})(\.[0-9]{1,99})?([eE][+-]?[0-9]{1,2})?/"
# Items that are different as they are written are different numbers.
_PLAIN_INTEGER: Final = "/0|-?[1-9][0-9]{0,14}/"
_PLAIN_FRACTION: Final = r"-?(0|[1-9][0-9]{0,8})\.[0-9]{0,5}[1-9]"
_PLAIN_NUMBER: Final = rf"/0|-?[1-9][0-9]{{0,8}}|{_PLAIN_FRACTION}/"
# llguidance makes a state of each remainder, of 100,000 in half a second; of powers of ten, one of each zero.
_MOST_MULTIPLE: Final = 100_000
_MOST: Final = 10**18 - 1  # the largest whole number that llguidance takes for a bound


_SIDES: Final = (
    ("minimum", numbers_above, True),
    ("exclusiveMinimum", numbers_above, False),
    ("maximum", numbers_below, True),
    ("exclusiveMaximum", numbers_below, False),
)


class JsonScalars:
    """The strings and numbers of one grammar."""

    def __init__(self, grammar: LarkGrammar) -> None:
        self._grammar = grammar
        self._patterns = PatternTerminals(grammar, inside_json=True)

    def string(self, schema: Schema, *, is_canonical: bool = False) -> str:
        """Return the name of the terminal of the strings that match pattern, format and lengths, with their
        quotes.

        is_canonical: whether each character has one form only. Raises NoValue if no string matches;
        InvalidGrammar for a pattern that is not supported.
        """
        return self._quoted(self._content(schema, is_canonical))

    def key(self, names: Schema, taken: list[str], patterns: list[str], others: list[str]) -> str:
        """Return the name of the terminal of an object's keys.

        names: the schema of propertyNames. taken: keys that it may not have. patterns: those that it matches.
        others: those that it does not match. Raises NoValue if there is no such key.
        """
        parts = [self._content(names, is_canonical=True)]
        parts += [self._search(pattern) for pattern in patterns]
        excluded = [self._search(pattern) for pattern in others]
        if taken:
            excluded.append(self._grammar.terminal(" | ".join(literal(_content_text(key)) for key in taken)))
        return self._quoted(self._intersection([*parts, *(f"~{one}" for one in excluded)]))

    def integer(self, schema: Schema, *, is_canonical: bool = False) -> str:
        """Return the expression of the integers within the bounds, multiples of multipleOf.

        is_canonical: whether each has one text. Raises NoValue if there is none.
        """
        multiple = Fraction(repr(schema.get("multipleOf", 1))).numerator
        _check_multiple(multiple)
        low, high = least_multiple(schema), greatest_multiple(schema)
        if (low is not None and low > _MOST) or (high is not None and high < -_MOST):
            raise InvalidGrammar(f"bounds of integers may be up to {_MOST}")
        if low is not None and high is not None and high // multiple * multiple < low:
            raise NoValue("no integer matches all restrictions")
        bounds: Schema = {}
        if low is not None:
            bounds["minimum"] = max(low, -_MOST)
        if high is not None:
            bounds["maximum"] = min(high, _MOST)
        if multiple != 1:
            bounds["multipleOf"] = multiple
        if bounds:
            return self._between("integer", bounds)
        return self._grammar.terminal(_PLAIN_INTEGER if is_canonical else _INTEGER)

    def number(self, schema: Schema, *, is_canonical: bool = False) -> str:
        """Return the expression of the numbers within the bounds; with is_canonical, if there are any, of the
        integers among them. Raises NoValue if there is none."""
        if FRACTION in schema:
            if "multipleOf" in schema:
                raise InvalidGrammar("multipleOf beside a negation of integers is not supported")
            return self._decimals(schema)
        if schema.keys().isdisjoint((*BOUNDS, "multipleOf")):
            return self._grammar.terminal(_PLAIN_NUMBER if is_canonical else _NUMBER)
        if is_canonical:
            return self.integer(schema, is_canonical=True)
        return self._multiples(schema) if "multipleOf" in schema else self._decimals(schema)

    def _multiples(self, schema: Schema) -> str:
        """Return the expression of the multiples of a number.

        llguidance takes only those with as many decimals as the number has; those with fewer are written as
        multiples of another. Raises NoValue if there is none.
        """
        multiple = Decimal(repr(schema["multipleOf"])).normalize()
        _check_multiple(int(multiple.scaleb(-int(multiple.as_tuple().exponent))))
        found = dict[str, None]()
        for num_decimals in range(max(0, -int(multiple.as_tuple().exponent)) + 1):
            step = common_multiple(Fraction(multiple), Fraction(1, 10**num_decimals))
            low, high = least_multiple(schema, 1 / step), greatest_multiple(schema, 1 / step)
            bounds = {
                **({} if low is None else {"minimum": plain_number(low * step)}),
                **({} if high is None else {"maximum": plain_number(high * step)}),
            }
            if low is None or high is None or low <= high:
                found[self._between("number", {"multipleOf": plain_number(step), **bounds})] = None
        if not found:
            raise NoValue("no multiple matches all restrictions")
        return " | ".join(found)

    def _decimals(self, schema: Schema) -> str:
        """Return the name of the terminal of the numbers between the bounds. (llguidance 1.9.1 lets numbers
        through that are equal to an exclusive bound, and leaves out some that are equal to an inclusive one.)
        """
        sides = [
            write(schema[keyword], is_inclusive=is_inclusive)
            for keyword, write, is_inclusive in _SIDES
            if keyword in schema
        ]
        if FRACTION in schema:
            sides.append(f"/{_PLAIN_FRACTION}/")
        return self._intersection([self._grammar.terminal(side) for side in sides])

    def _between(self, type_name: str, bounds: Schema) -> str:
        return self._grammar.rule(f"%json {json.dumps({'type': type_name, **bounds})}")

    def _content(self, schema: Schema, is_canonical: bool) -> str:
        """Return the name of the terminal of what stands between the quotes."""
        patterns = [*([schema["pattern"]] if "pattern" in schema else ()), *schema.get(PATTERNS, ())]
        if (of_format := FORMAT_PATTERNS.get(schema.get("format", ""))) is not None:
            patterns.append(of_format)
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        high = None if high is None or high >= _MOST_CHARACTERS else high
        check_periods(patterns)
        parts = [self._search(pattern) for pattern in dict.fromkeys(patterns)]
        if not any(_implies_length(pattern, low, high) for pattern in patterns):
            character = self._patterns.character if parts or is_canonical else _CHARACTER
            parts.append(self._grammar.terminal(f"/{character}{{{low},{'' if high is None else high}}}/"))
        return self._intersection(parts)

    def _search(self, pattern: str) -> str:
        return self._grammar.terminal(self._patterns.search(pattern))

    def _intersection(self, terminals: list[str]) -> str:
        if len(terminals) == 1:
            return terminals[0]
        both = self._grammar.terminal(" & ".join(terminals))
        if not self._grammar.is_satisfiable(both):
            raise NoValue("no value matches all restrictions")
        return both

    def _quoted(self, content: str) -> str:
        return self._grammar.terminal(rf'"\"" {content} "\""')


def _check_multiple(digits: int) -> None:
    """Raise InvalidGrammar for a multipleOf of too many digits, whatever its decimal point is."""
    if digits > _MOST_MULTIPLE and str(digits).strip("0") != "1":
        raise InvalidGrammar(
            f"multipleOf may be a power of ten, or have the digits of a number up to {_MOST_MULTIPLE}"
        )


def _implies_length(pattern: str, low: int, high: int | None) -> bool:
    """Return whether all strings that match the pattern have lengths within the bounds."""
    if not low and high is None:
        return True
    parsed = parsed_pattern(pattern)
    is_short = high is None or (parsed.is_anchored and parsed.most <= high)
    return parsed.least >= low and is_short


def _content_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
