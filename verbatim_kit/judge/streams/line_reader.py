"""The reader of lines of JSON as they arrive, which also checks their framing (ndjson.org)."""

from collections.abc import Iterator
from typing import Final

from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.streams.event_reader import Event


class LineReader:
    """The reader of bytes in pieces of any size, which gives lines in order, mixed with faults of framing.

    Every line ends in a line feed, the last one too: of one without, nobody knows whether it is whole.
    """

    item: Final = "line"

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # of the line that has begun
        self._num_lines = 0

    def feed(self, piece: bytes) -> Iterator[Event | Fault]:
        """Yield the lines and faults that the piece completes."""
        *ended, begun = piece.split(b"\n")
        for end in ended:
            line = b"".join((*self._pieces, end))
            self._pieces = []
            yield self._take(line)
        self._pieces.append(begun)

    def end(self) -> Iterator[Fault]:
        """Yield the fault of a stream whose last line does not end."""
        if any(self._pieces):
            yield self._fault("ends without a line feed")

    def _take(self, line: bytes) -> Event | Fault:
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            return self._fault(f"is not UTF-8: {error}")
        if not text.strip("\r"):
            return self._fault("is empty")
        self._num_lines += 1
        return Event(None, text)

    def _fault(self, message: str) -> Fault:
        return Fault("framing", f"line {self._num_lines}", f"The line {message}")
