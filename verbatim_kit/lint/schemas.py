"""Every schema of a document, with a name for its place."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.generate.documents.document import Document, Schema, operations_of

# JSON Schema 2020-12, its core's sections 8 to 10 and its validation, and what OpenAPI 3.1 adds to it.
KEYWORDS: Final = {
    *("$ref", "$comment", "$defs", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    *("properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties"),
    *("items", "prefixItems", "contains", "minContains", "maxContains", "unevaluatedItems"),
    *("dependentRequired", "dependentSchemas", "type", "enum", "const", "required", "format", "pattern"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
    *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
    *("contentEncoding", "contentMediaType", "contentSchema"),
    *("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
    *("discriminator", "xml", "externalDocs", "example"),
}

_ONE: Final = (
    "items",
    "additionalProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "contentSchema",
)
_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")


class Located(NamedTuple):
    """A schema that is not a mere `true`. place: `Info.sha`, `Info.sha[]` or `Stop|1`."""

    place: str
    schema: Schema


def schemas_of(document: Document) -> Iterator[Located]:
    """Components first, then what stands in operations; a reference is not followed."""
    components = document.get("components", {})
    for name, schema in components.get("schemas", {}).items():
        yield from _within(name, schema)
    for name, node in components.get("parameters", {}).items():
        yield from _within(f"parameters/{name}", node.get("schema"))
    for kind in ("requestBodies", "responses"):
        for name, node in components.get(kind, {}).items():
            yield from _of_content(f"{kind}/{name}", node)
    for path, method, operation, _ in operations_of(document):
        place = f"{method.upper()} {path}"
        yield from _of_content(place, operation.get("requestBody", {}))
        for parameter in operation.get("parameters", ()):
            yield from _within(f"{place} {parameter.get('name', '')}", parameter.get("schema"))
        for status, response in operation["responses"].items():
            yield from _of_content(f"{place} {status}", response)


def _of_content(place: str, node: Any) -> Iterator[Located]:
    for media_type, content in node.get("content", {}).items():
        yield from _within(f"{place} {media_type}", content.get("schema"))


def _within(place: str, node: Any) -> Iterator[Located]:
    """The schema and those inside it."""
    if not isinstance(node, dict):
        return
    yield Located(place, node)
    for name, member in node.get("properties", {}).items():
        yield from _within(f"{place}.{name}", member)
    for key in _ONE:
        yield from _within(f"{place}[]" if key == "items" else f"{place}({key})", node.get(key))
    for key in _LISTS:
        for index, member in enumerate(node.get(key, ())):
            yield from _within(f"{place}|{index}", member)
