"""The splitting of a stream into lines, and of these into server-sent events; pure."""

from typing import Final

from typing_extensions import override

_DATA: Final = b"data:"
_DATA_LENGTH: Final = len(_DATA)
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class EventTooLong(Exception):
    """A line has more bytes than are kept."""


class LineSplitter:
    """The lines, each ended by a line feed, of bytes that arrive in any pieces.

    num_held: bytes of a line that is not complete.
    """

    def __init__(self, max_bytes: int) -> None:
        """Begin without bytes. max_bytes: the most bytes that are kept of a line that is not complete."""
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []  # of the line that is not complete, joined once: it may be long
        self.num_held = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that are now complete, without their ends. Raises EventTooLong."""
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if lines and self._parts:
            lines[0] = b"".join((*self._parts, lines[0]))
            self._parts.clear()
            self.num_held = 0
        if rest:
            self._parts.append(rest)
            self.num_held += len(rest)
            if self.num_held > self._max_bytes:
                raise EventTooLong
        return lines


class EventSplitter(LineSplitter):
    """The data of server-sent events (HTML standard, section 9.2) from bytes that arrive in any pieces.

    A line ends with CR LF, LF or CR. Only data fields of one line are read, which is all that token APIs
    send; other fields are ignored.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._beginning: bytes | None = b""  # what may be a part of a byte order mark; None after it

    @override
    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the data of the lines that are now complete. Raises EventTooLong."""
        if self._beginning is not None:
            chunk = self._without_mark(self._beginning + chunk)
        if b"\r" in chunk:  # a pair that is cut in two has an empty line between, which is no data
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        # A slice is compared in half the time of a call of startswith.
        return [line[_DATA_LENGTH:].strip() for line in super().feed(chunk) if line[:_DATA_LENGTH] == _DATA]

    def _without_mark(self, beginning: bytes) -> bytes:
        """Return the stream's first bytes without a byte order mark; none before it is known to be one."""
        if len(beginning) < len(_BYTE_ORDER_MARK) and _BYTE_ORDER_MARK.startswith(beginning):
            self._beginning = beginning
            return b""
        self._beginning = None
        return beginning.removeprefix(_BYTE_ORDER_MARK)
