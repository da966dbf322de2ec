"""A parser of server-sent events that reads a stream until `[DONE]`, as clients do."""

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from verbatim_kit.conform.document import Json

_DONE: Final = "[DONE]"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


class Event(NamedTuple):
    """A server-sent event. name: value of its `event` field; empty without one. data: parsed JSON."""

    name: str
    data: Json


class NotEvents(ValueError):
    """The stream cannot be parsed, for the reason in the message."""


def read_events(body: bytes) -> list[Event]:
    """Return the events of a stream. Raises NotEvents."""
    events = []
    for name, data in _frames(body):
        if data == _DONE:
            break
        try:
            events.append(Event(name, json.loads(data)))
        except ValueError:
            raise NotEvents(f"The data of an event is not JSON: {data[:200]!r}") from None
    return events


def _frames(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name and the data of each event (HTML, 9.2.6)."""
    name, data = "", list[str]()
    for line in [*_LINE_END.split(body.decode(errors="replace")), ""]:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not line:
            if data:
                yield name, "\n".join(data)
            name, data = "", []
