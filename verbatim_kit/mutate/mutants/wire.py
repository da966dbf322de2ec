"""Conversion of event streams to lists of events, and back."""

from typing import Any, NamedTuple

from verbatim_kit.judge.json_text import NotJson, read_json
from verbatim_kit.judge.streams.event_reader import Event, EventReader


class WireEvent(NamedTuple):
    """A server-sent event. data: the parsed JSON; None if it is not JSON, such as a terminator."""

    name: str | None
    text: str
    data: Any

    def frame(self) -> bytes:
        named = f"event: {self.name}\n" if self.name is not None else ""
        return f"{named}data: {self.text}\n\n".encode()


def events_of(body: bytes) -> list[WireEvent]:
    """Return the events of a stream with valid framing."""
    found = [event for event in EventReader().feed(body) if isinstance(event, Event)]
    return [WireEvent(event.name, event.data, _parsed(event.data)) for event in found]


def frames(events: list[WireEvent]) -> bytes:
    return b"".join(event.frame() for event in events)


def _parsed(text: str) -> Any:
    try:
        return read_json(text.encode())
    except NotJson:
        return None
