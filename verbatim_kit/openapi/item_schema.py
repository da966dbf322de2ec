"""A 3.2 document as OpenAPI 3.1: what its `itemSchema` says of streams, in our extensions."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.json_pointer import ABSENT
from verbatim_kit.openapi.streams import (
    EVENT_NAME,
    STREAMS,
    TERMINATOR,
    Json,
    Pointer,
    StreamError,
    followed,
    is_event_stream,
    is_stream,
    names_in,
)
from verbatim_kit.openapi.version_3_2 import whole_stream, with_media

_ITEM: Final = "itemSchema"
_CHOICES: Final = ("anyOf", "oneOf")
_REMARKS: Final = {"type", "title", "description", "$comment"}
_OF_EVENT: Final = {"required", "properties", "additionalProperties", *_CHOICES, *_REMARKS}
_OF_NAME: Final = {"const", "enum", *_REMARKS}
_OF_DATA: Final = {"const", "contentMediaType", "contentSchema", *_REMARKS}
_NEVER_SENT: Final = ("id", "retry")  # an event may have these, and ours have not


class _Event(NamedTuple):
    """One alternative for an event. names: those that it can have; empty without one.

    data: the schema of its `data`. payload: the one that is stated for the data of all alternatives together.
    """

    names: list[str]
    data: Json
    payload: Json | None
    at: Pointer


class _Around(NamedTuple):
    """The statements around an alternative: properties, the required ones, and `payload` as of an event."""

    properties: Json
    required: frozenset[str]
    payload: Json | None


def as_3_1(document: Json) -> Json:
    """Return a 3.2 document as 3.1; what 3.1 lacks elsewhere stays.

    The examples of a stream become those of its first item. Raises StreamError for a stream that our
    extensions cannot say.
    """
    changed = with_media(document, lambda name, media, at: _media(document, name, media, at))
    kept = {key: value for key, value in changed.get("components", {}).items() if key != "mediaTypes"}
    return {**changed, "openapi": "3.1.1", **({"components": kept} if "components" in changed else {})}


def _media(document: Json, name: str, node: Any, at: Pointer) -> Any:
    media, at = followed(document, node, at)  # in 3.2 it may stand among the components
    if not isinstance(media, dict) or not (is_stream(name) or _ITEM in media):
        return media
    if not is_stream(name):
        raise StreamError((*at, _ITEM), f"{name} cannot be a stream; {STREAMS} can")
    if _ITEM not in media:
        raise StreamError(at, f"{name} needs {_ITEM}: in OpenAPI 3.2, `schema` is of the whole stream")
    rest = {key: value for key, value in media.items() if key not in (_ITEM, "schema")}
    is_events = is_event_stream(name)
    stated = _of_events(document, media[_ITEM], (*at, _ITEM)) if is_events else {"schema": media[_ITEM]}
    allowed = whole_stream(stated[TERMINATOR]) if TERMINATOR in stated else None
    if media.get("schema", allowed) != allowed:
        raise StreamError((*at, "schema"), "says more of the whole stream than that one terminator ends it")
    return {**stated, **_with_examples(rest, is_events)}


def _of_events(document: Json, schema: Json, at: Pointer) -> Json:
    """Return the members of a 3.1 media type object that say what an `itemSchema` does."""
    events = list(_events(document, schema, at, _Around({}, frozenset(), None)))
    ends = [event for event in events if "const" in event.data]
    carrying = [event for event in events if "const" not in event.data]
    if len(ends) > 1 or not carrying:
        raise StreamError(at, "needs an event that carries JSON, and at most one const that ends streams")
    stated: Json = {"schema": _payload_of(carrying)}
    if ends:
        stated[TERMINATOR] = ends[0].data["const"]
    if any(event.names for event in carrying):
        stated[EVENT_NAME] = _naming_property(document, carrying, at)
    return stated


def _events(document: Json, schema: Json, at: Pointer, around: _Around) -> Iterator[_Event]:
    """Yield the alternatives of a schema."""
    target, place = followed(document, schema, at)
    _require_only(target, _OF_EVENT, place)
    required = around.required | set(target.get("required", ()))
    properties = dict(around.properties)
    for name, inner in target.get("properties", {}).items():
        properties[name] = {**properties.get(name, {}), **inner}
    if unknown := sorted(properties.keys() - {"event", "data", *_NEVER_SENT}):
        raise StreamError((*place, "properties", unknown[0]), "is no field of an event")
    choices = next((key for key in _CHOICES if key in target), None)
    if choices is None:
        yield _event(properties, required, around.payload, place)
        return
    payload = properties.get("data", {}).get("contentSchema", around.payload)
    for index, inner in enumerate(target[choices]):
        inside = _Around(properties, required, payload)
        yield from _events(document, inner, (*place, choices, str(index)), inside)


def _event(properties: Json, required: frozenset[str], payload: Json | None, at: Pointer) -> _Event:
    data, named = properties.get("data", {}), properties.get("event", {})
    _require_only(data, _OF_DATA, (*at, "properties", "data"))
    _require_only(named, _OF_NAME, (*at, "properties", "event"))
    is_json = data.get("contentMediaType") == "application/json" and "contentSchema" in data
    if not is_json and not isinstance(data.get("const"), str):
        raise StreamError(
            (*at, "properties", "data"),
            "must be JSON, by a contentMediaType application/json and a contentSchema, or the const that "
            "ends the stream",
        )
    names = [named["const"]] if "const" in named else named.get("enum", [])
    if missing := sorted(required - {"data"} - ({"event"} if names else set())):
        raise StreamError(at, f"an event with {missing[0]!r} cannot be sent: no names are listed for it")
    return _Event(names, data, payload, at)


def _require_only(schema: Json, known: set[str], at: Pointer) -> None:
    if unknown := sorted(schema.keys() - known):
        raise StreamError((*at, unknown[0]), "cannot be said of an event")


def _payload_of(events: list[_Event]) -> Json:
    """Return the schema of the data of any event."""
    first, *others = events
    if others and any(event.payload is None or event.payload != first.payload for event in events):
        return {"anyOf": [event.data["contentSchema"] for event in events]}
    return first.payload or first.data["contentSchema"]


def _naming_property(document: Json, events: list[_Event], at: Pointer) -> str:
    """Return the property of the data that has the event's name in every alternative."""
    first, _ = followed(document, events[0].data["contentSchema"], events[0].at)
    for name in first.get("required", ()):
        if all(_is_named_by(document, event, name) for event in events):
            return str(name)
    raise StreamError(at, "the name of an event must be a required property of its data, for all events")


def _is_named_by(document: Json, event: _Event, name: str) -> bool:
    schema, place = followed(document, event.data["contentSchema"], event.at)
    try:
        return set(names_in(document, schema, place, name)) == set(event.names)
    except StreamError:
        return False


def _with_examples(media: Json, is_events: bool) -> Json:
    """Return a media type object whose examples of streams are each of the first item, if that is JSON."""
    shown = {key: value for key, value in media.items() if key not in ("example", "examples")}
    first = _first(media.get("example"), is_events)
    if first is not ABSENT:
        shown["example"] = first
    if "examples" in media:
        shown["examples"] = {name: _example(one, is_events) for name, one in media["examples"].items()}
    return shown


def _example(example: Json, is_events: bool) -> Json:
    first = _first(example.get("dataValue", example.get("value")), is_events)
    rest = {key: value for key, value in example.items() if key not in ("dataValue", "value")}
    return rest if first is ABSENT else {**rest, "value": first}


def _first(items: Any, is_events: bool) -> Any:
    match items:
        case [{"data": str(data)}, *_] if is_events:
            try:
                return json.loads(data)
            except ValueError:
                return ABSENT
        case [first, *_] if not is_events:
            return first
    return ABSENT
