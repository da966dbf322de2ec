"""The subset of JSON Schema that OpenAI's `strict` allows, for contracts that hold their clients to it.

The core needs no such rule: it enforces far more than the subset, and schemas with optional properties are
what most clients of other servers send with `strict`. A contract that promises OpenAI's refusals turns it on.

Only keywords that change what a schema allows are refused: programs leave annotations of their own in
schemas, such as `x-order`, `example` and `discriminator`. OpenAPI's `nullable` is taken as one of these: it
would allow null as well, so that a value that is not null is valid to all readers.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec

from handlers.chat.errors import NotStrict

MAX_DEPTH = 10  # objects and arrays inside each other
MAX_PROPERTIES = 5000  # in all
MAX_VALUES = 1000  # of all enums

Schema: TypeAlias = Mapping[str, object]

_TYPES = frozenset(("string", "number", "boolean", "integer", "object", "array", "null"))
_KEYWORDS = frozenset(
    ("type", "enum", "const", "anyOf", "$ref", "$defs", "definitions", "properties", "required", "items")
    + ("additionalProperties", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format")
    + ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
)
EFFECTIVE = _KEYWORDS | frozenset(
    ("allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies")
    + ("prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains")
    + ("uniqueItems", "patternProperties", "propertyNames", "unevaluatedProperties", "minProperties")
    + ("maxProperties", "$dynamicRef", "$recursiveRef")
)
"""The keywords of all drafts that change what a schema allows."""


class StrictViolation(msgspec.Struct, frozen=True):
    """A violation of the subset. place: "" for the root, `.properties.a.items` for a schema inside it."""

    place: str
    message: str


class _Inner(msgspec.Struct, frozen=True):
    place: str
    schema: object
    depth: int


def require_strict(schema: object, field: str) -> None:
    """Raise NotStrict for the first violation, if there is one. field: the schema's place in the request."""
    for violation in strict_violations(schema):
        raise NotStrict(violation.message, field + violation.place)


def strict_violations(schema: object) -> Iterator[StrictViolation]:
    """Yield every violation of the subset, from the outermost schema inwards."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object" or "anyOf" in schema:
        yield StrictViolation("", "a strict schema is of type 'object' at its root, without anyOf")
        return
    schemas = list(_schemas(schema))
    for inner in schemas:
        if inner.depth > MAX_DEPTH:
            yield StrictViolation(inner.place, f"a strict schema is nested at most {MAX_DEPTH} deep")
        elif isinstance(inner.schema, Mapping):
            yield from _violations(inner.schema, inner.place)
        else:
            yield StrictViolation(inner.place, "a schema is an object here")
    if sum(len(_mapping(inner.schema, "properties")) for inner in schemas) > MAX_PROPERTIES:
        yield StrictViolation("", f"a strict schema has at most {MAX_PROPERTIES} properties")
    if sum(len(_list(inner.schema, "enum")) for inner in schemas) > MAX_VALUES:
        yield StrictViolation("", f"a strict schema has at most {MAX_VALUES} enum values")


def _schemas(root: Schema) -> Iterator[_Inner]:
    """Yield all schemas of a document, down to the first that is too deep."""
    waiting = [_Inner("", root, 0)]
    while waiting:
        inner = waiting.pop()
        yield inner
        if inner.depth <= MAX_DEPTH:
            waiting += reversed(list(_inner_schemas(inner)))


def _violations(schema: Schema, place: str) -> Iterator[StrictViolation]:
    """Yield the violations of one schema, without those of the schemas inside it."""
    for keyword in schema:
        if keyword in EFFECTIVE - _KEYWORDS:
            yield StrictViolation(place, f"'{keyword}' is not permitted in a strict schema")
    declared = schema.get("type")
    types = declared if isinstance(declared, list) else [] if declared is None else [declared]
    for name in types:
        if name not in _TYPES:
            yield StrictViolation(f"{place}.type", f"{name!r} is no type")
    if not types and not schema.keys() & {"$ref", "anyOf", "enum", "const"}:
        yield StrictViolation(place, "a strict schema must have a 'type' key")
    if "array" in types and "items" not in schema:
        yield StrictViolation(place, "an array needs 'items'")
    if "object" in types:
        yield from _object_violations(schema, place)


def _object_violations(schema: Schema, place: str) -> Iterator[StrictViolation]:
    if schema.get("additionalProperties") is not False:
        message = "'additionalProperties' is required to be supplied and to be false"
        yield StrictViolation(place, message)
    properties, required = _mapping(schema, "properties"), _list(schema, "required")
    for name in properties:
        if name not in required:
            message = f"'required' has to hold every key of 'properties'; {name!r} is missing"
            yield StrictViolation(place, message)
    for listed in required:
        if listed not in properties:
            yield StrictViolation(place, f"'required' holds {listed!r}, which is none of the 'properties'")


def _inner_schemas(outer: _Inner) -> Iterator[_Inner]:
    for keyword in ("properties", "$defs", "definitions"):
        for name, schema in _mapping(outer.schema, keyword).items():
            depth = outer.depth + 1 if keyword == "properties" else 0
            yield _Inner(f"{outer.place}.{keyword}.{name}", schema, depth)
    for at, schema in enumerate(_list(outer.schema, "anyOf")):
        yield _Inner(f"{outer.place}.anyOf[{at}]", schema, outer.depth)
    if isinstance(outer.schema, Mapping) and "items" in outer.schema:
        yield _Inner(f"{outer.place}.items", outer.schema["items"], outer.depth + 1)


def _mapping(schema: object, keyword: str) -> Mapping[str, object]:
    value = schema.get(keyword) if isinstance(schema, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _list(schema: object, keyword: str) -> list[object]:
    value = schema.get(keyword) if isinstance(schema, Mapping) else None
    return value if isinstance(value, list) else []
