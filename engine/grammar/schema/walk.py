"""The places of a JSON Schema that hold schemas."""

from collections.abc import Callable, Iterator
from typing import Any

from verbatim_kit.json_pointer import escaped_step

Schema = dict[str, Any]

HOLDS_SCHEMA = frozenset(
    ("items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties")
    + ("unevaluatedProperties", "propertyNames", "not", "if", "then", "else")
)
HOLDS_LIST = frozenset(("items", "prefixItems", "anyOf", "oneOf", "allOf"))
HOLDS_MAP = frozenset(
    ("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions")
)


def inner_schemas(schema: Schema) -> Iterator[tuple[str, object]]:
    """Yield the schemas directly inside, each with its step or steps of a JSON pointer."""
    for keyword, value in schema.items():
        if keyword in HOLDS_LIST and isinstance(value, list):
            yield from ((f"{keyword}/{index}", member) for index, member in enumerate(value))
        elif keyword in HOLDS_SCHEMA:
            yield keyword, value
        elif keyword in HOLDS_MAP and isinstance(value, dict):
            yield from ((f"{keyword}/{escaped_step(name)}", member) for name, member in value.items())


def with_inner(schema: Schema, change: Callable[[object, str], object]) -> Schema:
    """Return a copy of the schema with the schemas directly inside changed.

    change: given each one and its steps of a JSON pointer, returns the one in its place.
    """
    made = dict(schema)
    for keyword, value in schema.items():
        if keyword in HOLDS_LIST and isinstance(value, list):
            made[keyword] = [change(member, f"{keyword}/{index}") for index, member in enumerate(value)]
        elif keyword in HOLDS_SCHEMA:
            made[keyword] = change(value, keyword)
        elif keyword in HOLDS_MAP and isinstance(value, dict):
            made[keyword] = {
                name: change(member, f"{keyword}/{escaped_step(name)}") for name, member in value.items()
            }
    return made
