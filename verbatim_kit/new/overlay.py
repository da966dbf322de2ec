"""The overlay of a new project: the errors that every server answers and many a document leaves open."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

from verbatim_kit.generate.documents.document import Document, operations_of

_OWN_ERROR: Final = {
    "description": "The request failed.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}
_OWN_SCHEMA: Final = {
    "type": "object",
    "required": ["message"],
    "properties": {"message": {"type": "string"}},
}


def error_overlay(document: Document) -> Document | None:
    """Return an overlay by which each operation declares the errors of every server; None if all do.

    These are 422 for a request that does not match the document (or 400, if it declares that), 401 where it
    needs a key, and 500. They are answered as the operation's `default`, which the overlay takes out since a
    status is named by its number here; or else as the first error of the document, or else by a schema
    `Error` of their own.
    """
    error = next(_errors(document), None)
    actions: list[Document] = []
    if error is None:
        schemas = {"components": {"schemas": {"Error": _OWN_SCHEMA}}}
        actions.append(_action("$", "The document declares no error.", update=schemas))
    for path, method, operation, _ in operations_of(document):
        target = f"$.paths['{path}'].{method}.responses"
        responses = operation.get("responses", {})
        missing = [status for status in _needed(document, operation) if status not in responses]
        if missing:
            added = {status: deepcopy(responses.get("default") or error or _OWN_ERROR) for status in missing}
            actions.append(_action(target, "The server answers with these.", update=added))
        if "default" in responses:
            actions.append(_action(f"{target}.default", "A status is named by its number.", remove=True))
    if not any("responses" in action["target"] for action in actions):
        return None
    return {
        "overlay": "1.0.0",
        "info": {"title": "The errors of the server", "version": "1.0.0"},
        "actions": actions,
    }


def _errors(document: Document) -> Iterator[Any]:
    for _, _, operation, _ in operations_of(document):
        for status, answer in operation.get("responses", {}).items():
            if status[0] in "d45":  # `default`, or the number of an error
                yield answer


def _needed(document: Document, operation: Document) -> Iterator[str]:
    takes_input = "requestBody" in operation or bool(operation.get("parameters"))
    if takes_input and "400" not in operation.get("responses", {}):
        yield "422"
    if operation.get("security", document.get("security")):
        yield "401"
    yield "500"


def _action(target: str, description: str, **effect: Any) -> Document:
    return {"target": target, "description": description, **effect}
