"""Reads `x-websocket`: the messages by which clients ask for an operation over a WebSocket."""

from typing import Final

from verbatim_kit.generate.documents.document import Document, Pointer, SpecError, resolve
from verbatim_kit.generate.reading.answers import JSON
from verbatim_kit.generate.reading.interface import WebSocketMessages

WEB_SOCKET: Final = "x-websocket"
_KEYS: Final = {"description", "type", "without", "sets", "error"}


def read_web_socket(
    document: Document, operation: Document, at: Pointer, event: str | None
) -> WebSocketMessages | None:
    """Return the form of an operation's messages; None for an operation without them.

    event: the type of the events that the operation answers with. Raises SpecError.
    """
    stated = operation.get(WEB_SOCKET)
    if stated is None:
        return None
    at = (*at, WEB_SOCKET)
    if unknown := stated.keys() - _KEYS:
        raise SpecError(at, f"has no {', '.join(sorted(unknown))}")
    if not isinstance(stated.get("type"), str) or "error" not in stated:
        raise SpecError(at, "must have the `type` of messages, and the schema of an `error`")
    if event is None:
        raise SpecError(at, "its messages are answered with events, which the operation does not have")
    members = _members_of_body(document, operation, at)
    if "type" in members:
        raise SpecError(at, "the body has a `type` of its own")
    named = {*stated.get("without", ()), *stated.get("sets", {})}
    if missing := named - members:
        raise SpecError(at, f"the body has no {', '.join(sorted(missing))}")
    return WebSocketMessages(stated["type"], tuple(stated.get("without", ())), dict(stated.get("sets", {})))


def _members_of_body(document: Document, operation: Document, at: Pointer) -> set[str]:
    body, place = resolve(document, operation.get("requestBody", {}), at)
    content = body.get("content", {})
    if list(content) != [JSON]:
        raise SpecError(at, f"the operation must have a body of {JSON}")
    schema, _ = resolve(document, content[JSON]["schema"], place)
    return {*schema.get("properties", {})}
