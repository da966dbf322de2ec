"""The places of Schema Objects in an OpenAPI document and inside each other."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from verbatim_kit.generate.documents.document import Document, Pointer, Schema

SchemaChange: TypeAlias = Callable[[Schema, Pointer], Schema]

_MAPS = ("properties", "patternProperties", "$defs", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")


def map_schemas(document: Document, change: SchemaChange) -> Document:
    """The document with `change` applied to every Schema Object, the inner ones first.

    Keywords are told from property names by their place, so a property called `nullable` is left alone.
    """
    result: Document = _map_node(document, (), change)
    return result


def _map_node(node: Any, at: Pointer, change: SchemaChange) -> Any:
    if isinstance(node, list):
        return [_map_node(item, (*at, str(index)), change) for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    if at == ("components", "schemas"):
        return {name: _map_schema(schema, (*at, name), change) for name, schema in node.items()}
    return {key: _map_member(key, value, (*at, key), change) for key, value in node.items()}


def _map_member(key: str, value: Any, at: Pointer, change: SchemaChange) -> Any:
    if key == "schema" or key == "itemSchema":
        return _map_schema(value, at, change)
    if key in ("example", "examples", "default", "enum"):
        return value  # data, which may look like a schema
    return _map_node(value, at, change)


def _map_schema(schema: Any, at: Pointer, change: SchemaChange) -> Any:
    if not isinstance(schema, dict):
        return schema
    result = dict(schema)
    for steps, inner in sub_schemas(schema):
        mapped = _map_schema(inner, (*at, *steps), change)
        if len(steps) == 1:
            result[steps[0]] = mapped
        elif isinstance(result[steps[0]], list):
            result[steps[0]] = [*result[steps[0]]]
            result[steps[0]][int(steps[1])] = mapped
        else:
            result[steps[0]] = {**result[steps[0]], steps[1]: mapped}
    return change(result, at)


def sub_schemas(schema: Schema) -> Iterator[tuple[Pointer, Any]]:
    """The schemas directly inside a schema, each with its steps from there."""
    for key in _MAPS:
        yield from (((key, name), inner) for name, inner in schema.get(key, {}).items())
    for key in _LISTS:
        yield from (((key, str(index)), inner) for index, inner in enumerate(schema.get(key, [])))
    yield from (((key,), schema[key]) for key in _SINGLES if isinstance(schema.get(key), dict))
