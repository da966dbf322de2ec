"""The splitting of a stream of server-sent events; pure."""

from typing import Final

_DATA: Final = b"data:"


class EventTooLong(Exception):
    """An event has more bytes than are kept."""


class EventSplitter:
    """The data of server-sent events (HTML standard, section 9.2) from bytes that arrive in any pieces.

    Only data fields of one line are read, which is all that token APIs send; other fields are ignored.
    """

    def __init__(self, max_bytes: int) -> None:
        """max_bytes: of a line that is not complete."""
        self._max_bytes = max_bytes
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the lines that are now complete. Raises EventTooLong."""
        *lines, rest = (self._rest + chunk if self._rest else chunk).split(b"\n")
        if len(rest) > self._max_bytes:
            raise EventTooLong
        self._rest = rest
        return [line[len(_DATA) :].strip() for line in lines if line.startswith(_DATA)]
