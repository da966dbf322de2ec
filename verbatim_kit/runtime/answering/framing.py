"""The framing of a stream's items: as server-sent events (WHATWG HTML, section 9.2), or as lines of JSON."""

from collections.abc import Callable
from typing import Final, NamedTuple

from verbatim_kit.openapi.streams import is_lines

HEADERS: Final = [
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would hold items back otherwise
]


class Framing(NamedTuple):
    """The form of one kind of stream.

    frame: returns one item as it is sent, of its data and its name, which is empty for an item without one.
        Neither may have a line break, which JSON text does not need.
    comment: bytes that clients ignore; empty where they ignore none.
    """

    frame: Callable[[bytes, bytes], bytes]
    comment: bytes


def framing_of(media_type: str) -> Framing:
    """Return the framing of a stream of a media type."""
    return _LINES if is_lines(media_type) else _EVENTS


def _event(data: bytes, name: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name, data) if name else b"data: %b\n\n" % data


def _line(data: bytes, name: bytes) -> bytes:
    return data + b"\n"


_EVENTS: Final = Framing(_event, b":\n\n")
_LINES: Final = Framing(_line, b"")
