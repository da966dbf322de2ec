"""The OpenAPI 3.2 twin, which tests read: it describes an event stream event by event.

3.1 has no way to say that a `text/event-stream` is a sequence, so its `schema` stands for one event's data.
3.2 has `itemSchema` for an event ({data, event, id, retry}) beside `schema` for the whole sequence.
"""

from typing import Any

from verbatim_kit.generate.documents.document import Document, Pointer, Schema
from verbatim_kit.generate.reading.events import EVENT_NAME, TERMINATOR, is_event_stream, named_events

TWIN_VERSION = "3.2.0"


def fuzz_twin(document: Document) -> Document:
    """An effective document whose event streams have an `itemSchema` and exactly one terminator."""
    twin: Document = _rewrite(document, document, ())
    return {**twin, "openapi": TWIN_VERSION}


def _rewrite(document: Document, node: Any, at: Pointer) -> Any:
    if isinstance(node, list):
        return [_rewrite(document, item, (*at, str(index))) for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    return {
        key: _event_stream(document, value, (*at, key))
        if is_event_stream(key)
        else _rewrite(document, value, (*at, key))
        for key, value in node.items()
    }


def _event_stream(document: Document, media: Document, at: Pointer) -> Document:
    events = _events(document, media, at)
    terminator = media.get(TERMINATOR)
    if terminator is not None:
        last = _event_with(data={"const": terminator})
        return {
            "itemSchema": {"anyOf": [last, *events]},
            "schema": {"type": "array", "contains": last, "minContains": 1, "maxContains": 1},
        }
    return {"itemSchema": events[0] if len(events) == 1 else {"anyOf": events}}


def _events(document: Document, media: Document, at: Pointer) -> list[Schema]:
    if EVENT_NAME not in media:
        return [_event_with(data=_payload(media["schema"]))]
    named = named_events(document, media, at)
    return [_event_with(event=name, data=_payload(schema)) for schema, name in named]


def _payload(schema: Schema) -> Schema:
    return {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}


def _event_with(**fields: Schema) -> Schema:
    return {"type": "object", "required": list(fields), "properties": fields}
