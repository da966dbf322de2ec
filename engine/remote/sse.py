"""The splitting of a stream of server-sent events; pure."""

from typing import Final

_DATA: Final = b"data:"
_DATA_LENGTH: Final = len(_DATA)


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
        lines = (self._rest + chunk if self._rest else chunk).split(b"\n")
        rest = lines.pop()
        if len(rest) > self._max_bytes:
            raise EventTooLong
        self._rest = rest
        # A slice is compared in half the time of a call of startswith.
        return [line[_DATA_LENGTH:].strip() for line in lines if line[:_DATA_LENGTH] == _DATA]
