"""The events of a `text/event-stream`: what one may be, and how it is named.

3.1 has no words for it, so two extensions stand beside the schema of an event's data: `x-sse-terminator`, the
data of the event that ends every stream, and `x-sse-event-name`, the property whose text is the event's name.
"""

from collections.abc import Iterator

from verbatim_kit.generate.documents.document import Document, Pointer, Schema, SpecError, resolve

EVENTS = "text/event-stream"
TERMINATOR = "x-sse-terminator"
EVENT_NAME = "x-sse-event-name"


def is_event_stream(media_type: str) -> bool:
    """Return whether a media type is that of event streams, whatever its parameters, such as a charset."""
    return media_type.partition(";")[0].strip().lower() == EVENTS


def named_events(document: Document, media: Document, at: Pointer) -> list[tuple[Schema, Schema]]:
    """Each alternative for an event's data, with the schema of its name.

    SpecError where an alternative need not have the property, or its schema does not list the names.
    """
    name = media[EVENT_NAME]
    return [
        (schema, _name_of(document, target, place, name))
        for schema, target, place in _alternatives(document, media["schema"], (*at, "schema"))
    ]


def _alternatives(
    document: Document, schema: Schema, at: Pointer
) -> Iterator[tuple[Schema, Schema, Pointer]]:
    """Each as it is written, as it is with its reference followed, and where that stands."""
    target, place = resolve(document, schema, at)
    keyword = next((key for key in ("anyOf", "oneOf") if key in target), None)
    if keyword is None:
        yield schema, target, place
        return
    for index, inner in enumerate(target[keyword]):
        yield from _alternatives(document, inner, (*place, keyword, str(index)))


def _name_of(document: Document, schema: Schema, at: Pointer, name: str) -> Schema:
    named, _ = resolve(document, schema.get("properties", {}).get(name, {}), (*at, "properties", name))
    names = [named["const"]] if "const" in named else named.get("enum", [])
    if name not in schema.get("required", []) or not names or not all(isinstance(it, str) for it in names):
        raise SpecError(at, f"the events are named by {name!r}: it must be required, an enum of strings")
    return {"enum": names}
