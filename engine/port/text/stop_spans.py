"""The spans of a text in which stop strings are not searched for; pure."""

from collections.abc import Iterator, Sequence

from engine.port.errors import InvalidRequest


class StopSpans:
    """The splitter of a text that arrives in pieces into parts inside and outside spans.

    A span begins after its first marker, and ends with its second; one whose second marker is "" extends to
    the end of the text. Outside spans, the marker that is complete first begins one.
    """

    def __init__(self, spans: Sequence[tuple[str, str]], begins_until: str | None = None) -> None:
        """Begin a text.

        begins_until: the second marker of the span that the text begins in; None if it begins in none.
        Raises InvalidRequest for an empty first marker, which would begin a span everywhere.
        """
        if not all(begin for begin, _ in spans):
            raise InvalidRequest("what begins a span without stop strings must not be empty")
        self._ends = dict(spans)
        self._end = begins_until  # of the span that the text is in
        self._tail = ""  # what may be the start of a marker

    def split(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield the parts of the piece, each with whether it lies in a span."""
        while text:
            is_inside = self._end is not None
            length = self._follow(text)
            yield text[:length], is_inside
            text = text[length:]

    def _follow(self, text: str) -> int:
        """Return the length of the text up to the next begin or end of a span; all of it if there is none."""
        markers = [*self._ends] if self._end is None else [self._end] if self._end else []
        seen = self._tail + text
        found = [(at + len(marker), marker) for marker in markers if (at := seen.find(marker)) >= 0]
        if not found:
            longest = max(map(len, markers), default=0)
            self._tail = seen[-(longest - 1) :] if longest > 1 else ""
            return len(text)
        after, marker = min(found)
        length = after - len(self._tail)
        self._end = self._ends[marker] if self._end is None else None
        self._tail = ""
        return length
