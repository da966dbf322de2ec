"""The splitting of a stream into lines, and of these into server-sent events; pure."""

from typing import Final

from typing_extensions import override

_DATA: Final = b"data:"
_DATA_LENGTH: Final = len(_DATA)


class EventTooLong(Exception):
    """A line has more bytes than are kept."""


class LineSplitter:
    """The lines, each ended by a line feed, of bytes that arrive in any pieces."""

    def __init__(self, max_bytes: int) -> None:
        """max_bytes: of a line that is not complete."""
        self._max_bytes = max_bytes
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that are now complete, without their ends. Raises EventTooLong."""
        lines = (self._rest + chunk if self._rest else chunk).split(b"\n")
        rest = lines.pop()
        if len(rest) > self._max_bytes:
            raise EventTooLong
        self._rest = rest
        return lines


class EventSplitter(LineSplitter):
    """The data of server-sent events (HTML standard, section 9.2) from bytes that arrive in any pieces.

    Only data fields of one line are read, which is all that token APIs send; other fields are ignored.
    """

    @override
    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the lines that are now complete. Raises EventTooLong."""
        # A slice is compared in half the time of a call of startswith.
        return [line[_DATA_LENGTH:].strip() for line in super().feed(chunk) if line[:_DATA_LENGTH] == _DATA]
