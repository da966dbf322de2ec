"""The sizes of a request while it is being read, with their bounds."""

from collections.abc import Sequence
from typing import Final

from verbatim_kit.http.limits import HttpLimits
from verbatim_kit.http.reading.early_answer import (
    TOO_MANY_CHUNKS,
    headers_too_long,
    too_many_headers,
    url_too_long,
)
from verbatim_kit.http.reading.stop_parsing import StopParsing

_LINE_BYTES: Final = 4  # of a header line beside name and value: a colon, a space, CR and LF
_MAX_SMALL: Final = 65_536  # chunks of a body that cost more to take than to send
_SMALL_BYTES: Final = 16  # that a chunk has less of then
_CALL_BYTES: Final = 256  # that are discarded in the time that a callback takes


class RequestSizes:
    """The sizes of the request that a connection reads, compared with the limits as its bytes come.

    A method raises StopParsing where a limit is exceeded. The parser keeps an incomplete piece and copies it
    at each read, so a piece is bounded by the reads that it took. Chunk extensions, which the parser reports
    to no callback, are bounded like this alone.
    """

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        self.max_headers = limits.max_headers
        self._max_incomplete_bytes = limits.max_url_bytes + limits.max_header_bytes
        self._num_head_bytes = 0  # of all reads that a part of the head came with
        self._num_incomplete = 0  # bytes since a read that completed a head or brought content
        self._has_progressed = False  # whether this read does
        self._num_small = 0  # chunks of this body
        self._num_trailers = 0
        self._num_discarded = 0  # bytes read after the answer

    # Reads

    def begin_read(self, num_bytes: int) -> None:
        """Count the bytes of a read, before any of them is parsed."""
        self._has_progressed = False
        self._num_head_bytes += num_bytes

    def end_read(self, num_bytes: int, *, is_in_head: bool) -> None:
        """Check the size of what is incomplete after a read. is_in_head: whether that is a request's head."""
        if self._has_progressed:
            self._num_incomplete = 0
            if not is_in_head:
                self._num_head_bytes = 0
            return
        self._num_incomplete += num_bytes
        if self._num_incomplete > self._max_incomplete_bytes:
            raise StopParsing(headers_too_long(self._limits.max_header_bytes))

    # The head

    def check_url(self, url: bytes) -> None:
        """Check the part of the URL that has come."""
        if len(url) > self._limits.max_url_bytes:
            raise StopParsing(url_too_long(self._limits.max_url_bytes))
        self._has_progressed = True

    def check_num_headers(self, num_headers: int) -> None:
        """Check the number of headers that have come."""
        if num_headers > self.max_headers:
            raise StopParsing(too_many_headers(self.max_headers))

    def check_header_bytes(self, headers: Sequence[tuple[bytes, bytes]]) -> None:
        """Check the size of all headers, which is counted only if the reads that they came with exceed it."""
        max_bytes = self._limits.max_header_bytes
        if self._num_head_bytes <= max_bytes:
            return
        if sum(len(name) + len(value) + _LINE_BYTES for name, value in headers) > max_bytes:
            raise StopParsing(headers_too_long(max_bytes))

    # The body

    def begin_body(self) -> None:
        """Begin to count chunks, trailers and discarded bytes: the head is complete."""
        self._has_progressed = True
        self._num_small = self._num_trailers = self._num_discarded = 0

    def count_chunk(self, num_bytes: int) -> None:
        """Count a chunk of content that is kept."""
        self._has_progressed = True
        if num_bytes < _SMALL_BYTES:
            self._num_small += 1
            if self._num_small > _MAX_SMALL:
                raise StopParsing(TOO_MANY_CHUNKS)

    def count_trailer(self) -> None:
        """Count a trailer."""
        self._num_trailers += 1
        self.check_num_headers(self._num_trailers)

    # The rest of a request that has its answer

    def discard_chunk(self, num_bytes: int) -> None:
        """Count a chunk of content that is dropped."""
        self._has_progressed = True
        if self.discard(num_bytes + _CALL_BYTES):
            raise StopParsing(None)

    def discard(self, num_bytes: int) -> bool:
        """Count bytes that are dropped; return whether they are too many."""
        self._num_discarded += num_bytes
        return self._num_discarded > self._limits.max_discarded_bytes
