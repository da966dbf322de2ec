"""Values of a JSON Schema: which are equal, and which the keywords beside enum and const allow."""

import json
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from engine.grammar.patterns.pattern_terminals import PatternTest
from engine.grammar.schema.keywords import (
    FRACTION,
    IMPLIED_TYPE,
    PATTERNS,
    REFUSED,
    RESTRICTS,
    UNEVALUATED,
    WHOLE,
    types_of_value,
)
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

_test = lru_cache(16)(PatternTest)  # for the many values of one schema

_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "minLength": lambda value, limit: len(value) >= limit,
    "maxLength": lambda value, limit: len(value) <= limit,
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
    "multipleOf": lambda value, limit: limit > 0 and not Fraction(repr(value)) % Fraction(repr(limit)),
    FRACTION: lambda value, _: not float(value).is_integer(),
    "pattern": lambda value, pattern: _test(pattern).finds(value),
    "format": lambda value, name: True,  # an annotation of values that the schema itself names
    "minItems": lambda value, limit: len(value) >= limit,
    "maxItems": lambda value, limit: len(value) <= limit,
    "uniqueItems": lambda value, is_unique: len({canonical_text(item) for item in value}) == len(value),
    "minProperties": lambda value, limit: len(value) >= limit,
    "maxProperties": lambda value, limit: len(value) <= limit,
    "required": lambda value, names: all(name in value for name in names),
}


def allowed_values(schema: Schema) -> list[object]:
    """Return the values of a schema that has enum or const.

    Raises InvalidGrammar, without the place, where a keyword beside them cannot be evaluated.
    """
    values = values_named(schema) or []
    if "enum" in schema and "const" in schema:
        values = [value for value in values if is_equal(value, schema["const"])]
    others = {keyword: value for keyword, value in schema.items() if keyword not in ("enum", "const")}
    return [value for value in values if is_allowed(others, value)]


def values_named(schema: Schema) -> list[object] | None:
    """Return the values of enum or const; None if there is neither."""
    return [schema["const"]] if "enum" not in schema and "const" in schema else schema.get("enum")


def canonical_text(value: object) -> str:
    """Return the one JSON text of a value: a whole number has no fraction, and names are in order."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(canonical_text, value)) + "]"
    if isinstance(value, dict):
        members = (
            f"{canonical_text(name)}: {canonical_text(inner)}" for name, inner in sorted(value.items())
        )
        return "{" + ", ".join(members) + "}"
    return json.dumps(value, ensure_ascii=False)


def is_equal(one: object, other: object) -> bool:
    """Return whether two JSON values are equal; 1 and true are not, as they are in Python."""
    return canonical_text(one) == canonical_text(other)


def common_values(one: list[object], other: list[object]) -> list[object]:
    """Return those of the first values that are among the others too."""
    texts = {*map(canonical_text, other)}
    return [value for value in one if canonical_text(value) in texts]


def is_allowed(schema: Schema | bool, value: object) -> bool:
    """Return whether a value matches the schema.

    Raises InvalidGrammar, without the place, where a keyword cannot be evaluated.
    """
    if isinstance(schema, bool):
        return schema
    types = types_of_value(value)
    declared = None if IMPLIED_TYPE in schema else schema.get("type")
    if declared is not None and not types & {*([declared] if isinstance(declared, str) else declared)}:
        return False
    if "const" in schema and not is_equal(value, schema["const"]):
        return False
    if "enum" in schema and not any(is_equal(value, each) for each in schema["enum"]):
        return False
    patterns = [("pattern", pattern) for pattern in schema.get(PATTERNS, ())]
    for keyword, limit in (*schema.items(), *patterns):
        if keyword in _UNKNOWN:
            raise InvalidGrammar(f"{keyword} beside enum or const is not supported")
        if RESTRICTS.get(keyword) in types and keyword in _CHECKS and not _CHECKS[keyword](value, limit):
            return False
    return all(is_allowed(inner, part) for inner, part in _parts(schema, value))


def _parts(schema: Schema, value: object) -> Iterator[tuple[Schema | bool, object]]:
    """Yield the schemas of items, members and their names, each with what it is applied to."""
    if isinstance(value, list):
        prefix = schema.get("prefixItems", [])
        yield from zip(prefix, value, strict=False)
        yield from ((schema.get("items", True), item) for item in value[len(prefix) :])
    elif isinstance(value, dict):
        for name, schemas in member_schemas(schema, value).items():
            yield schema.get("propertyNames", True), name
            yield from ((inner, value[name]) for inner in schemas)


def member_schemas(schema: Schema, names: Iterable[str]) -> dict[str, list[Schema | bool]]:
    """Return the schemas of an object's members, by name: additionalProperties where no other names one."""
    found: dict[str, list[Schema | bool]] = {name: [] for name in names}
    for pattern, inner in (schema.get("patternProperties") or {}).items():
        test = _test(pattern)
        for name, schemas in found.items():
            if test.finds(name):
                schemas.append(inner)
    properties = schema.get("properties", {})
    for name in found.keys() & properties.keys():
        found[name].append(properties[name])
    return {name: schemas or [schema.get("additionalProperties", True)] for name, schemas in found.items()}


def has_parts(schema: Schema) -> bool:
    """Return whether it says anything of items, members or their names."""
    return not _ABOUT_PARTS.isdisjoint(schema)


_ABOUT_PARTS = frozenset(
    {"items", "prefixItems", "properties", "patternProperties", "additionalProperties", "propertyNames"}
)
_UNKNOWN = frozenset({*REFUSED, *WHOLE, *UNEVALUATED} - {"enum", "const"})
