"""The reader of server-sent events as they arrive, which also checks their framing (WHATWG HTML, 9.2.6)."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from verbatim_kit.judge.exchange import Fault

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


class Event(NamedTuple):
    """One event, or line. name: that of its `event:` line; None without one."""

    name: str | None
    data: str


class EventReader:
    """The reader of bytes in pieces of any size, which gives events in order, mixed
    with faults of the framing.

    It is stricter than a browser, which ignores unknown fields: a field that is neither data nor event is a
    fault, since nothing declares it, and so is an event without data, which a browser does not dispatch.
    """

    item: Final = "event"

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._name: str | None = None
        self._num_events = 0

    def feed(self, piece: bytes) -> Iterator[Event | Fault]:
        """Yield the events and faults that the piece completes."""
        lines = _LINE_END.split(self._rest + piece)
        self._rest = lines.pop()
        if piece.endswith(b"\r"):  # perhaps the first half of a line end
            self._rest = lines.pop() + b"\r"
        for line in lines:
            yield from self._take(line)

    def end(self) -> Iterator[Event | Fault]:
        """Yield the faults of the stream's end: an event that no empty line ends is lost to its client."""
        if self._rest.endswith(b"\r"):
            yield from self._take(self._rest[:-1])
            self._rest = b""
        if self._rest or self._data or self._name is not None:
            yield self._fault("ends without an empty line, and is lost")

    def _take(self, line: bytes) -> Iterator[Event | Fault]:
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            yield self._fault(f"is not UTF-8: {error}")
            return
        if not text:
            yield from self._dispatch()
            return
        field, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            if self._name is not None:
                yield self._fault("has two names")
            self._name = value
        elif field:  # a line that begins with a colon is a comment
            yield self._fault(f"has a field {field[:40]!r}")

    def _dispatch(self) -> Iterator[Event | Fault]:
        if self._data:
            yield Event(self._name, "\n".join(self._data))
            self._num_events += 1
        elif self._name is not None:
            yield self._fault("has a name and no data")
        self._data, self._name = [], None

    def _fault(self, message: str) -> Fault:
        return Fault("framing", f"event {self._num_events}", f"The event {message}")
