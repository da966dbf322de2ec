"""Conversion of streams to lists of events, or lines, and back."""

from typing import Any, NamedTuple

from verbatim_kit.judge.json_text import NotJson, read_json
from verbatim_kit.judge.streams.event_reader import Event, EventReader
from verbatim_kit.judge.streams.line_reader import LineReader
from verbatim_kit.openapi.streams import is_lines


class WireEvent(NamedTuple):
    """A server-sent event, or a line. data: the parsed JSON; None if it is not JSON, such as a terminator."""

    name: str | None
    text: str
    data: Any
    is_line: bool = False

    def frame(self) -> bytes:
        if self.is_line:
            return f"{self.text}\n".encode()
        named = f"event: {self.name}\n" if self.name is not None else ""
        return f"{named}data: {self.text}\n\n".encode()


def events_of(body: bytes, media_type: str) -> list[WireEvent]:
    """Return the events, or lines, of a stream with valid framing."""
    has_lines = is_lines(media_type)
    reader = LineReader() if has_lines else EventReader()
    found = [event for event in reader.feed(body) if isinstance(event, Event)]
    return [WireEvent(event.name, event.data, _parsed(event.data), has_lines) for event in found]


def frames(events: list[WireEvent]) -> bytes:
    return b"".join(event.frame() for event in events)


def _parsed(text: str) -> Any:
    try:
        return read_json(text.encode())
    except NotJson:
        return None
