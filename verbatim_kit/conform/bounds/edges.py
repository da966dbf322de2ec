"""Test values at, just inside and just outside the limits of one JSON Schema."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.conform.bounds.samples import types_of
from verbatim_kit.conform.document import Json, Schema

_EXACT: Final = 2**53  # doubles above it have no fractions and cannot represent every integer

# Values of each JSON type, some of which a lenient parser converts to another type.
_KINDS: Final[dict[str, tuple[Json, ...]]] = {
    "null": (None,),
    "boolean": (True,),
    "integer": (1, 0),
    "number": (1.5,),
    "string": ("1", "true"),
    "array": ([],),
    "object": ({},),
}


class Edge(NamedTuple):
    """A test value. keyword: the keyword of JSON Schema that it tests."""

    keyword: str
    value: Json


def edges(schema: Schema, sample: Json, item: Json) -> Iterator[Edge]:
    """Yield the values to test against a schema. Their validity depends on the whole document.

    sample: a valid value of the schema. item: a valid item of it, if it is an array.
    """
    yield from _of_type(schema)
    for keyword, make in _KEYWORDS.items():
        if keyword in schema:
            yield from (Edge(keyword, value) for value in make(schema[keyword], schema, sample, item))


def _of_type(schema: Schema) -> Iterator[Edge]:
    kinds = types_of(schema) if "type" in schema else []
    if not kinds:
        return
    for values in _KINDS.values():
        yield from (Edge("type", value) for value in values if _type(value) not in kinds or value is None)
    if "boolean" in kinds:
        yield from (Edge("type", value) for value in (True, False))
    if "integer" in kinds and "enum" not in schema and "const" not in schema:
        whole = next((schema[key] for key in ("minimum", "maximum") if key in schema), 1)
        if abs(whole) < _EXACT:
            yield Edge("type", float(whole))  # JSON Schema 2020-12, 4.2.3: an integer


def _type(value: Json) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _around(bound: float, schema: Schema, _: Json, __: Json) -> Iterator[Json]:
    if "integer" in types_of(schema) or abs(bound) >= _EXACT:
        yield from (int(bound) + step for step in (-1, 0, 1))
    else:
        yield from (math.nextafter(bound, -math.inf), bound, math.nextafter(bound, math.inf))


def _multiples(factor: float, schema: Schema, _: Json, __: Json) -> Iterator[Json]:
    yield from (factor, factor * 2, factor * 1.5)


def _lengths(bound: int, _: Schema, sample: Json, __: Json) -> Iterator[Json]:
    text = sample if isinstance(sample, str) else ""
    for length in (bound - 1, bound, bound + 1):
        if length >= 0:
            yield text[:length].ljust(length, "a")


def _counts(bound: int, _: Schema, sample: Json, item: Json) -> Iterator[Json]:
    items = sample if isinstance(sample, list) and sample else [item]
    renamed = _renamed if any(map(_has_name, items)) else lambda item, _: item
    for count in (bound - 1, bound, bound + 1):
        if count >= 0:
            yield [renamed(items[index % len(items)], index) for index in range(count)]


def _has_name(item: Json) -> bool:
    return isinstance(item, dict) and any(
        (key == "name" and isinstance(inner, str)) or _has_name(inner) for key, inner in item.items()
    )


def _renamed(item: Json, index: int) -> Json:
    """Return a copy of an item with unique names, which items such as tools must have."""
    if not index or not isinstance(item, dict):
        return item
    return {
        key: f"{inner}{index}" if key == "name" and isinstance(inner, str) else _renamed(inner, index)
        for key, inner in item.items()
    }


def _sizes(bound: int, _: Schema, sample: Json, __: Json) -> Iterator[Json]:
    """Yield objects with one member less than the bound, as many, and one more."""
    members = list(sample.items()) if isinstance(sample, dict) else []
    member = members[0][1] if members else "a"
    for count in (bound - 1, bound, bound + 1):
        if count >= 0:
            added = [(f"{index}", member) for index in range(count)]
            yield dict([*members, *added][:count])


def _members(values: list[Json], _: Schema, __: Json, ___: Json) -> Iterator[Json]:
    yield from values
    for value in values:
        yield from _unlike(value)


def _constant(value: Json, _: Schema, __: Json, ___: Json) -> Iterator[Json]:
    yield value
    yield from _unlike(value)


def _unlike(value: Json) -> Iterator[Json]:
    """Yield invalid values that a lenient parser may accept as the constant."""
    if isinstance(value, bool):
        yield from (not value, int(value), str(value).lower())
    elif isinstance(value, str):
        yield from (f"{value}_", value.swapcase(), "")
    elif isinstance(value, int):
        yield from (value + 1, str(value))


_Make = Callable[[Any, Schema, Json, Json], Iterator[Json]]

_KEYWORDS: Final[dict[str, _Make]] = {
    "minimum": _around,
    "maximum": _around,
    "exclusiveMinimum": _around,
    "exclusiveMaximum": _around,
    "multipleOf": _multiples,
    "minLength": _lengths,
    "maxLength": _lengths,
    "minItems": _counts,
    "maxItems": _counts,
    "minProperties": _sizes,
    "maxProperties": _sizes,
    "enum": _members,
    "const": _constant,
}
