"""The OpenAPI 3.2 twin, which tests read: it describes an event stream event by event.

3.1 has no way to say that a `text/event-stream` is a sequence, so its `schema` stands for one event's data.
3.2 has `itemSchema` for an event ({data, event, id, retry}) beside `schema` for the whole sequence.
"""

from typing import Any

from .document import Document, Schema

TWIN_VERSION = "3.2.0"
TERMINATOR = "x-sse-terminator"


def fuzz_twin(document: Document) -> Document:
    """An effective document whose event streams have an `itemSchema` and exactly one terminator."""
    twin: Document = _rewrite(document)
    return {**twin, "openapi": TWIN_VERSION}


def _rewrite(node: Any) -> Any:
    if isinstance(node, list):
        return [_rewrite(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _event_stream(value) if key == "text/event-stream" else _rewrite(value)
        for key, value in node.items()
    }


def _event_stream(media: Document) -> Document:
    payload = {"type": "string", "contentMediaType": "application/json", "contentSchema": media["schema"]}
    event = _event_with(payload)
    terminator = media.get(TERMINATOR)
    if terminator is None:
        return {"itemSchema": event}
    last = _event_with({"const": terminator})
    return {
        "itemSchema": {"anyOf": [last, event]},
        "schema": {"type": "array", "contains": last, "minContains": 1, "maxContains": 1},
    }


def _event_with(data: Schema) -> Schema:
    return {"type": "object", "required": ["data"], "properties": {"data": data}}
