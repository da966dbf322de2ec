"""Reads what an operation answers: one success, and its errors."""

from typing import Any

from verbatim_kit.generate.documents.document import Document, Pointer, SpecError, resolve
from verbatim_kit.generate.documents.unknown_fields import HEADER
from verbatim_kit.generate.reading.form import is_file
from verbatim_kit.generate.reading.interface import FILE_CONTENT, ErrorAnswer, HeaderField
from verbatim_kit.generate.reading.types import component_type, header_type, response_type
from verbatim_kit.openapi.streams import (
    EVENT_NAME,
    STREAMS,
    TERMINATOR,
    StreamError,
    is_event_stream,
    is_stream,
    named_events,
)

JSON, TEXT, FILE = "application/json", "text/plain", "application/octet-stream"


def read_success(document: Document, operation: Document, at: Pointer) -> dict[str, Any]:
    """The fields of `Interface` that tell of the successful answer."""
    statuses = [status for status in _responses(operation, at) if status.startswith("2")]
    if len(statuses) != 1:
        raise SpecError((*at, "responses"), f"one successful status is needed, not {len(statuses)}")
    answer, place = resolve(document, operation["responses"][statuses[0]], (*at, "responses", statuses[0]))
    content = answer.get("content", {})
    return {
        "status": int(statuses[0]),
        **_read_whole(content, (*place, "content")),
        **_read_events(document, content, (*place, "content")),
        "headers": _read_headers(document, answer, place),
    }


def read_errors(document: Document, operation: Document, at: Pointer) -> tuple[ErrorAnswer, ...]:
    """Every declared answer that is not a success, in document order."""
    return tuple(
        _read_error(document, operation, status, (*at, "responses", status))
        for status in _responses(operation, at)
        if not status.startswith("2")
    )


def _responses(operation: Document, at: Pointer) -> list[str]:
    statuses = list(operation.get("responses", {}))
    for status in statuses:
        if not (len(status) == 3 and status.isdigit() and status[0] in "245"):
            raise SpecError(
                (*at, "responses", status), "a status is named by its number here: 2xx, 4xx or 5xx"
            )
    return statuses


def _read_whole(content: Document, at: Pointer) -> dict[str, str | None]:
    """The fields of `Interface` that tell of an answer that is no stream: JSON, a text, or either; a file."""
    whole = [media_type for media_type in content if not is_stream(media_type)]
    if len(whole) > 1 and (len(whole) > 2 or JSON not in whole or FILE in whole):
        found = ", ".join(whole)
        raise SpecError(at, f"{JSON} and one text are supported beside a stream, not {found}")
    types = {media_type: _read_plain(media_type, content[media_type], at) for media_type in whole}
    first = JSON if JSON in whole else next(iter(whole), None)
    second = next((media_type for media_type in whole if media_type != first), None)
    return {
        "response": None if first is None else types[first],
        "media_type": first,
        "text_media_type": second,
    }


def _read_plain(media_type: str, media: Document, at: Pointer) -> str:
    schema, place = media.get("schema"), (*at, media_type, "schema")
    if media_type == JSON:
        return response_type(schema, place)
    if media_type == FILE and is_file(schema):
        return FILE_CONTENT
    if media_type.split(";")[0] != TEXT or schema != {"type": "string"}:
        supported = f"{JSON}, {STREAMS}, a string as {TEXT} and a file as {FILE}"
        raise SpecError(place, f"{media_type} is not supported; {supported} are")
    return "str"


def _read_events(document: Document, content: Document, at: Pointer) -> dict[str, str | None]:
    streams = [media_type for media_type in content if is_stream(media_type)]
    if len(streams) > 1:
        raise SpecError(at, f"{' and '.join(streams)} are two forms of a stream, and no request chooses one")
    if not streams:
        return dict.fromkeys(("event", "event_media_type", "event_name", "terminator"))
    media, place = content[streams[0]], (*at, streams[0])
    _check_items(document, streams[0], media, place)
    return {
        "event": response_type(media.get("schema"), (*place, "schema")),
        "event_media_type": streams[0],
        "event_name": media.get(EVENT_NAME),
        "terminator": media.get(TERMINATOR),
    }


def _check_items(document: Document, media_type: str, media: Document, at: Pointer) -> None:
    """Refuse what is said of the items of a stream and cannot be."""
    if not is_event_stream(media_type):
        for key in (TERMINATOR, EVENT_NAME):
            if key in media:
                raise SpecError((*at, key), f"lines as {media_type} have no names, and no end of their own")
    elif EVENT_NAME in media:
        try:
            named_events(document, media, at)
        except StreamError as error:
            raise SpecError(error.pointer, str(error)) from None


def _read_headers(document: Document, answer: Document, at: Pointer) -> tuple[HeaderField, ...]:
    fields = []
    for name, item in answer.get("headers", {}).items():
        if name == HEADER:  # the runtime sends it, and no handler
            continue
        header, place = resolve(document, item, (*at, "headers", name))
        schema, schema_at = resolve(document, header.get("schema", {}), (*place, "schema"))
        kind = header_type(schema, schema_at)
        fields.append(HeaderField(name.lower(), kind, header.get("required", False)))
    return tuple(fields)


def _read_error(document: Document, operation: Document, status: str, at: Pointer) -> ErrorAnswer:
    answer, place = resolve(document, operation["responses"][status], at)
    content = answer.get("content", {})
    if content and list(content) != [JSON]:
        raise SpecError((*place, "content"), f"an error's body must be {JSON} alone, not {list(content)}")
    description = str(answer.get("description", "")).strip()
    if not content:
        return ErrorAnswer(int(status), None, description)
    model = component_type(content[JSON].get("schema"), (*place, "content", JSON, "schema"))
    return ErrorAnswer(int(status), model, description)
