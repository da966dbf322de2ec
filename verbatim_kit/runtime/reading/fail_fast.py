"""Validators that stop at the first wrong item of an array or an object.

pydantic goes on to the last, and reports each item under every alternative of a union: a body of 2 MB can
hold hundreds of thousands of wrong items, and to report one of them would take the server half a minute.
"""

from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_core import CoreSchema, SchemaValidator

# What stands under these keys is no schema.
_VALUES: Final = frozenset({"default", "expected", "metadata", "serialization"})
# What stands under these keys has names of the document for keys, where it is an object.
_NAMED: Final = frozenset({"fields", "choices"})


def fail_fast_schema(declared: Any) -> CoreSchema:
    """Return the schema of a declared type. Its unions label their alternatives by number, so that an error's
    location can be followed: pydantic's own labels are types' names in its own notation.
    """
    schema: CoreSchema = _fail_fast(TypeAdapter(declared).core_schema)
    return schema


def fail_fast_validator(schema: CoreSchema) -> SchemaValidator:
    """Return a validator by a schema of fail_fast_schema; it accepts the same values as TypeAdapter."""
    # Without this, models inside would be validated by the validators that their classes have.
    return SchemaValidator(schema, _use_prebuilt=False)


def _fail_fast(schema: Any) -> Any:
    if isinstance(schema, list | tuple):
        return type(schema)(_fail_fast(part) for part in schema)
    if not isinstance(schema, dict):
        return schema
    copy = {key: _part(key, part) for key, part in schema.items()}
    if copy.get("type") in ("list", "dict"):
        return {**copy, "fail_fast": True}
    return {**copy, "choices": _numbered(copy["choices"])} if copy.get("type") == "union" else copy


def _part(key: str, part: Any) -> Any:
    if key in _VALUES:
        return part
    if key in _NAMED and isinstance(part, dict):
        return {name: _fail_fast(inner) for name, inner in part.items()}
    return _fail_fast(part)


def _numbered(choices: list[Any]) -> list[tuple[Any, str]]:
    """Return the choices labelled by number. A choice is a schema, or a schema with its label."""
    schemas = [choice[0] if isinstance(choice, tuple) else choice for choice in choices]
    return [(schema, str(number)) for number, schema in enumerate(schemas)]
