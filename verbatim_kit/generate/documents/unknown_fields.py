"""Writes out what requests may hold beside the fields that a document states, in its effective form.

A closed object (`additionalProperties: false`) refuses a field that it does not know, unless it is null,
which means that it is absent: the effective document says `additionalProperties: {type: 'null'}`. An object
with `x-ignores-unknown: true` takes such fields without effect. The judge closes both again for answers.
"""

from collections.abc import Iterator
from typing import Any, Final

from verbatim_kit.generate.documents.document import (
    Document,
    Pointer,
    Schema,
    SpecError,
    operations_of,
    resolve,
)
from verbatim_kit.generate.documents.reach import reachable, references
from verbatim_kit.generate.documents.schemas import map_schemas

IGNORES: Final = "x-ignores-unknown"
HEADER: Final = "x-ignored-fields"

_OTHERS: Final = "additionalProperties"
_NULL: Final[Schema] = {"type": "null"}
_HEADER: Final = {
    "required": False,
    "description": (
        "The fields of the body that had no effect, comma-separated, each with its place. Only a server that "
        "was started with `--unknown-fields ignore` sends it."
    ),
    "schema": {"type": "string"},
}


def state_unknown_fields(document: Document) -> Document:
    """Return the document with what requests may hold beside its fields, and with the header that names it.

    SpecError names an object that is to ignore other fields and is in no request.
    """
    bodies = [body for body, _ in _bodies(document)]
    names = {name for body in bodies for name in references(body)}
    asked = reachable(document, names)["components"]["schemas"]

    def stated(schema: Schema, at: Pointer) -> Schema:
        in_request = at[2] in asked if at[:2] == ("components", "schemas") else "requestBody" in at
        if schema.get(IGNORES):
            if not in_request:
                raise SpecError(at, f"{IGNORES} is for what requests have")
            return {**schema, _OTHERS: True}
        return {**schema, _OTHERS: _NULL} if in_request and schema.get(_OTHERS) is False else schema

    return _with_header(map_schemas(document, stated))


def closed(schema: Schema, at: Pointer) -> Schema:
    """Return the schema for those who write requests: other fields that have no effect are not offered."""
    if schema.get(_OTHERS) != _NULL and not schema.get(IGNORES):
        return schema
    return {**{key: value for key, value in schema.items() if key != IGNORES}, _OTHERS: False}


def for_models(schema: Schema, at: Pointer) -> Schema:
    """Return the schema for the server's models: closed ones forbid others, and the runtime takes null."""
    if schema.get(_OTHERS) == _NULL:
        return {**schema, _OTHERS: False}
    if schema.get(IGNORES):
        return {key: value for key, value in schema.items() if key not in (IGNORES, _OTHERS)}
    return schema


def _bodies(document: Document) -> Iterator[tuple[Any, Document]]:
    """Yield each request body that is there, with its operation."""
    for _, _, operation, at in operations_of(document):
        if "requestBody" in operation:
            yield resolve(document, operation["requestBody"], at)[0], operation


def _with_header(document: Document) -> Document:
    paths = dict(document["paths"])
    for path, method, operation, _ in operations_of(document):
        if "requestBody" in operation:
            responses = {
                status: _declaring(response)
                if status.startswith("2") and "$ref" not in response
                else response
                for status, response in operation["responses"].items()
            }
            paths[path] = {**paths[path], method: {**operation, "responses": responses}}
    if paths == document["paths"]:
        return document
    components = document.get("components", {})
    headers = {**components.get("headers", {}), "IgnoredFields": _HEADER}
    return {**document, "paths": paths, "components": {**components, "headers": headers}}


def _declaring(response: Document) -> Document:
    header = {"$ref": "#/components/headers/IgnoredFields"}
    return {**response, "headers": {**response.get("headers", {}), HEADER: header}}
