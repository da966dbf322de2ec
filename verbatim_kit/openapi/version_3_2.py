"""A 3.1 document as OpenAPI 3.2, which has words of its own for streams.

In 3.2, `itemSchema` is the schema of an item: of an event as `{data, event, id, retry}`, or of a line.
`schema` is that of the whole stream, read as an array; here it says that the terminator comes once.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from verbatim_kit.openapi.streams import (
    EVENT_NAME,
    TERMINATOR,
    Json,
    Pointer,
    followed,
    is_event_stream,
    is_stream,
    named_events,
)

VERSION: Final = "3.2.0"


def as_3_2(document: Json) -> Json:
    """Return a 3.1 document as 3.2. Raises StreamError for an event whose names are not declared."""
    changed = with_media(document, lambda name, media, at: _media(document, name, media, at))
    return {**changed, "openapi": VERSION}


def with_media(document: Json, change: Callable[[str, Any, Pointer], Any]) -> Json:
    """Return a document with each media type object changed. change: gets its name, itself and its place."""
    changed: Json = _changed(document, (), change)
    return changed


def whole_stream(terminator: str) -> Json:
    """Return the schema of all events of a stream: exactly one ends it."""
    last = _event_with(data={"const": terminator})
    return {"type": "array", "contains": last, "minContains": 1, "maxContains": 1}


def _changed(node: Any, at: Pointer, change: Callable[[str, Any, Pointer], Any]) -> Any:
    if isinstance(node, list):
        return [_changed(item, (*at, str(index)), change) for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    # A property may be called `content` too; its schema has no keyword with a slash.
    is_content = at[-1:] == ("content",)
    return {
        key: change(key, value, (*at, key))
        if is_content and "/" in key
        else _changed(value, (*at, key), change)
        for key, value in node.items()
    }


def _media(document: Json, name: str, media: Json, at: Pointer) -> Json:
    if not is_stream(name) or "schema" not in media:
        return media
    rest = {key: value for key, value in media.items() if key not in ("schema", TERMINATOR, EVENT_NAME)}
    if not is_event_stream(name):
        return {"itemSchema": media["schema"], **_with_examples(document, rest, at, lambda value: [value])}
    terminator = media.get(TERMINATOR)
    item = _named(document, media, at) if EVENT_NAME in media else _event_with(data=_payload(media["schema"]))
    schemas: Json = {"itemSchema": item}
    ends = []
    if terminator is not None:
        ends = [{"data": terminator}]
        last = _event_with(data={"const": terminator})
        schemas = {"itemSchema": {"anyOf": [last, item]}, "schema": whole_stream(terminator)}
    shown = _with_examples(document, rest, at, lambda value: [_event(value, media.get(EVENT_NAME)), *ends])
    return {**schemas, **shown}


def _named(document: Json, media: Json, at: Pointer) -> Json:
    """Return the schema of events with names: of all together, then of each name's."""
    events = [
        {"properties": {"event": name, "data": _payload(schema)}}
        for schema, name in named_events(document, media, at)
    ]
    return {**_event_with(event={"type": "string"}, data=_payload(media["schema"])), "anyOf": events}


def _payload(schema: Json) -> Json:
    return {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}


def _event_with(**fields: Json) -> Json:
    return {"type": "object", "required": list(fields), "properties": fields}


def _event(value: Any, name: str | None) -> Json:
    """Return an event that carries a value, as 3.2 has it."""
    data = json.dumps(value, ensure_ascii=False)
    return {"event": value[name], "data": data} if name is not None else {"data": data}


def _with_examples(document: Json, media: Json, at: Pointer, items: Callable[[Any], list[Any]]) -> Json:
    """Return a media type object whose examples, each of one item, are streams with that item alone."""
    shown = dict(media)
    if "example" in media:
        shown["example"] = items(media["example"])
    if "examples" in media:
        found = {
            name: followed(document, one, (*at, "examples", name))[0]
            for name, one in media["examples"].items()
        }
        shown["examples"] = {
            name: {key: value for key, value in one.items() if key != "value"}
            | ({"dataValue": items(one["value"])} if "value" in one else {})
            for name, one in found.items()
        }
    return shown
