"""Validators that stop at the first wrong item of an array or an object.

pydantic goes on to the last, and reports each item under every alternative of a union: a body of 2 MB can
hold hundreds of thousands of wrong items, and telling of one of them would take the server half a minute.
"""

from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator

# What stands under these keys is no schema.
_VALUES: Final = frozenset({"default", "expected", "metadata", "serialization"})


def fail_fast_validator(declared: Any) -> SchemaValidator:
    """For values of a declared type; accepts what its TypeAdapter does."""
    schema = _fail_fast(TypeAdapter(declared).core_schema)
    # Without this, models inside would be validated by the validators that their classes have.
    return SchemaValidator(schema, _use_prebuilt=False)


def _fail_fast(schema: Any) -> Any:
    if isinstance(schema, list | tuple):
        return type(schema)(_fail_fast(part) for part in schema)
    if not isinstance(schema, dict):
        return schema
    copy = {key: part if key in _VALUES else _fail_fast(part) for key, part in schema.items()}
    return {**copy, "fail_fast": True} if copy.get("type") in ("list", "dict") else copy
