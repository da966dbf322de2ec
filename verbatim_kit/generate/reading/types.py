"""Schemas as Python type expressions over the generated models (`m.<Component>`)."""

from typing import Any

from verbatim_kit.generate.documents.document import Pointer, Schema, SpecError
from verbatim_kit.generate.reading.naming import is_identifier

_PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_PREFIX = "#/components/schemas/"


def component_type(schema: Any, at: Pointer) -> str:
    """A reference to a component as the name of its model."""
    reference = schema.get("$ref", "") if isinstance(schema, dict) else ""
    name = reference.removeprefix(_PREFIX)
    if not reference.startswith(_PREFIX) or not is_identifier(name):
        raise SpecError(at, "must be a $ref into #/components/schemas, by a name that is a Python identifier")
    return f"m.{name}"


def response_type(schema: Any, at: Pointer) -> str:
    """A component, a choice of components, or a list of one (how long it is, is for the handler to keep)."""
    keyword = next((key for key in ("anyOf", "oneOf") if isinstance(schema, dict) and key in schema), None)
    if keyword:
        places = [(*at, keyword, str(index)) for index in range(len(schema[keyword]))]
        return " | ".join(map(component_type, schema[keyword], places))
    if isinstance(schema, dict) and schema.get("type") == "array" and "items" in schema:
        return f"list[{component_type(schema['items'], (*at, 'items'))}]"
    return component_type(schema, at)


def header_type(schema: Schema, at: Pointer) -> str:
    """A header's value: one of the plain types."""
    if schema.get("type") not in _PRIMITIVES:
        raise SpecError(at, "a header must be a string, an integer, a number or a boolean")
    return _PRIMITIVES[schema["type"]]
