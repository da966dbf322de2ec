"""The keywords of two schemas as those of one, which allows the values that both allow."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from engine.grammar.schema.keywords import PATTERNS, TYPES
from engine.grammar.schema.merging.values import common_values, is_equal
from engine.grammar.schema.number_bounds import common_multiple, plain_number
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

AnySchema = Schema | bool

HIGHEST = ("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum")
LOWEST = ("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum")
CHILDREN = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "propertyNames")

_OBJECT_MEMBERS = ("properties", "patternProperties", "additionalProperties", "propertyNames")


class NoValue(Exception):
    """No value matches a schema, or two together."""


def merged_pair(one: Schema, other: Schema) -> Schema:
    """Return the keywords of both schemas; where both restrict a child, the child is an allOf.

    Neither may have $ref, anyOf, oneOf or allOf. Raises NoValue; InvalidGrammar, without the place, where the
    two cannot be merged.
    """
    if "patternProperties" in one or "patternProperties" in other:
        beside = other if "patternProperties" in one else one
        if any(keyword in beside for keyword in _OBJECT_MEMBERS):
            raise InvalidGrammar("patternProperties merged with other properties is not supported")
    merged = {**one, **other}
    for keyword in one.keys() & other.keys():
        if (merge := _MERGES.get(keyword)) is not None:
            merged[keyword] = merge(one[keyword], other[keyword])
    if "pattern" in one and "pattern" in other:
        first, *others = dict.fromkeys([*_patterns(one), *_patterns(other)])
        merged["pattern"], merged[PATTERNS] = first, others
    if "properties" in one or "properties" in other:
        merged["properties"] = _merged_properties(one, other)
    if "prefixItems" in one or "prefixItems" in other:
        merged["prefixItems"] = _merged_prefix(one, other)
    return merged


def _patterns(schema: Schema) -> list[str]:
    return [schema["pattern"], *schema.get(PATTERNS, ())]


def _both(one: AnySchema, other: AnySchema) -> AnySchema:
    """Return a schema for the values that match both."""
    if one is False or other is False:
        return False
    if one is True or one == other:
        return other
    return one if other is True else {"allOf": [one, other]}


def _merged_properties(one: Schema, other: Schema) -> dict[str, AnySchema]:
    merged: dict[str, AnySchema] = {}
    for name in [*one.get("properties", {}), *other.get("properties", {})]:
        first, second = (
            part["properties"][name]
            if name in part.get("properties", {})
            else part.get("additionalProperties", True)
            for part in (one, other)
        )
        merged[name] = _both(first, second)
    return merged


def _merged_prefix(one: Schema, other: Schema) -> list[AnySchema]:
    length = max(len(part.get("prefixItems", ())) for part in (one, other))
    pairs = (
        [
            part["prefixItems"][at] if at < len(part.get("prefixItems", ())) else part.get("items", True)
            for part in (one, other)
        ]
        for at in range(length)
    )
    return [_both(*pair) for pair in pairs]


def _common_types(one: str | list[str], other: str | list[str]) -> str | list[str]:
    first, second = ([types] if isinstance(types, str) else types for types in (one, other))
    common = [name for name in TYPES if name in first and name in second]
    for some, others in ((first, second), (second, first)):
        if "integer" in some and "number" in others and "number" not in some and "integer" not in common:
            common.append("integer")
    if not common:
        raise NoValue
    return common[0] if len(common) == 1 else common


def _common_multiple(one: float, other: float) -> float:
    return plain_number(common_multiple(Fraction(repr(one)), Fraction(repr(other))))


def _same_constant(one: object, other: object) -> object:
    if not is_equal(one, other):
        raise NoValue
    return one


def _same_format(one: str, other: str) -> str:
    if one != other:
        raise InvalidGrammar(f"format {one!r} beside {other!r} is not supported")
    return one


def _union(one: list[str], other: list[str]) -> list[str]:
    return [*dict.fromkeys([*one, *other])]


_MERGES: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(HIGHEST, max),
    **dict.fromkeys(LOWEST, min),
    **dict.fromkeys(CHILDREN, _both),
    "required": _union,
    "multipleOf": _common_multiple,
    "type": _common_types,
    "enum": common_values,
    "const": _same_constant,
    "format": _same_format,
    "uniqueItems": lambda one, other: bool(one or other),
}
