"""The promises of an OpenAPI document, without the prose around them."""

from typing import Any

from verbatim_kit.generate.documents.document import Document

_PROSE = {"summary", "description", "title"}
_DATA = {"example", "default", "enum", "const", "value"}
_UNORDERED = {"required", "enum", "type"}

# Objects whose keys are names that the author chose, so that a property called `title` is not prose.
_NAMED = {
    *("paths", "webhooks", "responses", "content", "headers", "encoding", "links", "callbacks", "variables"),
    *("schemas", "parameters", "requestBodies", "securitySchemes", "pathItems", "mapping", "scopes"),
    *("properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs", "definitions"),
}


def structure(document: Document) -> Document:
    """The document without its prose, in a form in which two of the same meaning are equal.

    Paths, names, types, bounds, defaults, statuses and the values of examples stay. `required`, `enum` and
    `type` lists are sorted, for their order says nothing; 1.0 becomes 1, which is the same number in JSON.
    """
    result: Document = _object(document)
    return result


def _object(node: Document) -> Document:
    return {key: _member(key, value) for key, value in node.items() if key not in _PROSE}


def _member(key: str, value: Any) -> Any:
    if key == "examples" and isinstance(value, dict):
        return _names(value)
    if key in _DATA or key == "examples" or key.startswith("x-"):
        return _sorted(_data(value)) if key in _UNORDERED else _data(value)
    if key in _NAMED and isinstance(value, dict):
        return _names(value)
    return _sorted(_node(value)) if key in _UNORDERED else _node(value)


def _names(node: Document) -> Document:
    return {name: _node(value) for name, value in node.items()}


def _node(value: Any) -> Any:
    if isinstance(value, dict):
        return _object(value)
    if isinstance(value, list):
        return [_node(item) for item in value]
    return _data(value)


def _data(value: Any) -> Any:
    """A JSON value in which nothing is prose, its whole numbers in one form."""
    if isinstance(value, dict):
        return {key: _data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_data(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _sorted(value: Any) -> Any:
    return sorted(value, key=lambda item: (str(type(item)), str(item))) if isinstance(value, list) else value
