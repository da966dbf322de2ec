"""Event streams as lists of events, and back."""

from typing import Any, NamedTuple

from handlers.checking.json_text import NotJson, read_json
from handlers.checking.streams.event_reader import Event, EventReader


class WireEvent(NamedTuple):
    """One event. data: parsed; None where it is no JSON, as a terminator is none."""

    name: str | None
    text: str
    data: Any

    def frame(self) -> bytes:
        named = f"event: {self.name}\n" if self.name is not None else ""
        return f"{named}data: {self.text}\n\n".encode()


def events_of(body: bytes) -> list[WireEvent]:
    """The events of a stream that is well framed."""
    found = [event for event in EventReader().feed(body) if isinstance(event, Event)]
    return [WireEvent(event.name, event.data, _parsed(event.data)) for event in found]


def frames(events: list[WireEvent]) -> bytes:
    return b"".join(event.frame() for event in events)


def _parsed(text: str) -> Any:
    try:
        return read_json(text.encode())
    except NotJson:
        return None
