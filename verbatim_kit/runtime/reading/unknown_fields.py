"""Objects with more unknown fields than any client would send.

pydantic reports each of them, under every alternative of a union: for a body of 2 MB it would take the server
ten seconds to report one of them.
"""

from collections.abc import Iterator, Set
from typing import Any, Final

from verbatim_kit.runtime.reading.schema import Schema

_MAX_FIELDS: Final = 1000


def may_be_too_many(raw: bytes) -> bool:
    """Return, without parsing, whether a body of JSON text can have an object with too many fields."""
    return raw.count(b":") > _MAX_FIELDS


def are_too_many(value: Any) -> bool:
    """Return whether a parsed value has an object with too many fields, known or unknown."""
    return any(len(found) > _MAX_FIELDS for found in _objects(value))


def without_most(value: Any, names: Set[str]) -> Any:
    """Return the parsed value, in whose objects there are not too many fields besides those of the names."""
    if isinstance(value, list):
        return [without_most(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    unknown = [key for key in value if key not in names]
    dropped = set(unknown[_MAX_FIELDS:])
    return {key: without_most(inner, names) for key, inner in value.items() if key not in dropped}


def field_names(schema: Any) -> frozenset[str]:
    """Return the field names of all models in a core schema."""
    if isinstance(schema, list | tuple):
        return frozenset(name for part in schema for name in field_names(part))
    if not isinstance(schema, dict):
        return frozenset()
    own = Schema(schema).names if schema.get("type") == "model-fields" else frozenset()
    return own.union(*(field_names(part) for part in schema.values()))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                yield from _objects(inner)
