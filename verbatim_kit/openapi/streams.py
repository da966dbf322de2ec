"""The streams that an answer can be: server-sent events, or lines of JSON.

3.1 has no words for a stream, so the `schema` of such a media type is that of one item: of an event's data,
or of a line. Two extensions may stand beside it for events: `x-sse-terminator`, the data of the event that
ends every stream, and `x-sse-event-name`, the property whose text is the event's name.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from verbatim_kit.json_pointer import ABSENT, steps_of_reference, target_of

Json: TypeAlias = dict[str, Any]
Pointer: TypeAlias = tuple[str, ...]

EVENTS: Final = "text/event-stream"
LINES: Final = ("application/x-ndjson", "application/jsonl")
TERMINATOR: Final = "x-sse-terminator"
EVENT_NAME: Final = "x-sse-event-name"
STREAMS: Final = ", ".join((EVENTS, *LINES))


class StreamError(ValueError):
    """A document says of a stream what cannot be; `pointer` is the place."""

    def __init__(self, pointer: Pointer, message: str) -> None:
        super().__init__(message)
        self.pointer = pointer


def is_event_stream(media_type: str) -> bool:
    """Return whether a media type is that of events, whatever its parameters, such as a charset."""
    return _bare(media_type) == EVENTS


def is_lines(media_type: str) -> bool:
    """Return whether a media type is that of lines of JSON."""
    return _bare(media_type) in LINES


def is_stream(media_type: str) -> bool:
    """Return whether a media type is that of a stream, of either form."""
    return is_event_stream(media_type) or is_lines(media_type)


def followed(document: Json, node: Any, at: Pointer) -> tuple[Any, Pointer]:
    """Return the node that references lead to, and its place. Raises StreamError if they lead nowhere."""
    seen = set()
    while isinstance(node, dict) and "$ref" in node:
        reference = node["$ref"]
        node = target_of(document, reference)
        if node is ABSENT or reference in seen:
            raise StreamError(at, f"$ref {reference} leads nowhere")
        seen.add(reference)
        at = steps_of_reference(reference)
    return node, at


def named_events(document: Json, media: Json, at: Pointer) -> list[tuple[Json, Json]]:
    """Return each alternative for an event's data, with the schema of its name.

    Raises StreamError where an alternative need not have the property, or its schema does not list the names.
    """
    name = media[EVENT_NAME]
    return [
        (schema, {"enum": names_in(document, target, place, name)})
        for schema, target, place in _alternatives(document, media["schema"], (*at, "schema"))
    ]


def names_in(document: Json, schema: Json, at: Pointer, name: str) -> list[str]:
    """Return the texts that a property can have. Raises StreamError unless it must have one of a list."""
    member = schema.get("properties", {}).get(name, {})
    named, _ = followed(document, member, (*at, "properties", name))
    names = [named["const"]] if "const" in named else named.get("enum", [])
    if name not in schema.get("required", []) or not names or not all(isinstance(it, str) for it in names):
        raise StreamError(at, f"the events are named by {name!r}: it must be required, an enum of strings")
    return list(names)


def _alternatives(document: Json, schema: Json, at: Pointer) -> Iterator[tuple[Json, Json, Pointer]]:
    """Yield each as it is written, as it is with its reference followed, and where that stands."""
    target, place = followed(document, schema, at)
    keyword = next((key for key in ("anyOf", "oneOf") if key in target), None)
    if keyword is None:
        yield schema, target, place
        return
    for index, inner in enumerate(target[keyword]):
        yield from _alternatives(document, inner, (*place, keyword, str(index)))


def _bare(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
