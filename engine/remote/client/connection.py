"""An HTTP/1.1 client connection to a server; no torch.

The data of a stream are passed to the reader's function in the call that receives them. aiohttp, which was
used before, puts each piece into a queue and wakes a task for it.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, cast

import httptools
from typing_extensions import override

from engine.remote.client.answer import Answer
from engine.remote.client.failures import CutOff

# The limit on headers, and on data between parts of a body: chunk sizes, chunk extensions and trailers.
_MAX_BARE_BYTES: Final = 65_536
_PIECE_BYTES: Final = 2**18  # of a long request body, between which other tasks run
# After such a refusal, a server may read the next request of the connection late.
_REFUSALS: Final = frozenset({429, 503})


class Connection(asyncio.Protocol):
    """A connection that carries requests one after the other.

    is_reusable: it may carry another request when the current response is complete.
    idle_since: time of the end of the last request, on the loop's clock; None before.
    has_heard: some of the current response has been received.
    """

    def __init__(self, timeout_s: float) -> None:
        """Create a connection that is not open yet. Requires a running event loop.

        timeout_s: maximum time without data before and within a response, in seconds.
        """
        self._timeout_s = self._silence_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._answer: Answer | None = None
        self._pieces: list[bytes] = []  # of the body, in the data being parsed
        self._is_over = False  # the response ends in the data being parsed
        self._num_bare_bytes = 0  # received since the last part of a body
        self._location = b""
        self._retry_after = b""
        self._has_end = False  # the headers define where the body ends
        self._heard_at = 0.0
        self._silence: asyncio.TimerHandle | None = None
        self._is_full = False  # the send buffer
        self._can_go_on = (
            asyncio.Event()
        )  # for a long body: the send buffer has room, or the response has begun
        self.is_reusable = True
        self.idle_since: float | None = None
        self.has_heard = False

    async def ask(self, head: bytes, body: Sequence[bytes], extra_s: float = 0.0) -> Answer:
        """Send a request and return the response when its headers have been received.

        head: request line and headers. body: its parts. extra_s: seconds to add to the timeout of this
        response. Raises CutOff on a timeout or if the response is not HTTP, and ConnectionError if the
        connection is closed before.
        """
        assert self._answer is None and self._transport is not None
        self._can_go_on.clear()
        answer = self._answer = Answer()
        self._num_bare_bytes, self._location, self._retry_after = 0, b"", b""
        self._has_end, self.has_heard = False, False
        self._listen(self._timeout_s + extra_s)
        if self._transport.is_closing():
            answer.fail(ConnectionResetError("the connection was closed"))
        elif sum(map(len, body)) <= _PIECE_BYTES:
            self._transport.write(b"".join((head, *body)))
        else:
            await self._send(head, body, answer)
        await answer.head()
        return answer

    def release(self) -> bool:
        """End a request, and return whether the connection can be reused; close it if not."""
        answer, self._answer = self._answer, None
        self.idle_since = self._loop.time()
        if self.is_reusable and answer is not None and answer.is_complete and self.is_open:
            return True
        self.close()
        return False

    def close(self) -> None:
        """Close the connection immediately."""
        self.is_reusable = False
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        if self._transport is not None:
            self._transport.abort()

    @property
    def is_open(self) -> bool:
        """True if the server is not known to have closed the connection."""
        return self._transport is not None and not self._transport.is_closing()

    async def _send(self, head: bytes, body: Sequence[bytes], answer: Answer) -> None:
        """Send a long body in pieces, at the server's speed, until the response begins."""
        assert self._transport is not None
        if not self._is_full:
            self._can_go_on.set()
        self._transport.write(head)
        pieces = (
            memoryview(part)[start : start + _PIECE_BYTES]
            for part in body
            for start in range(0, len(part), _PIECE_BYTES)
        )
        for piece in pieces:
            await self._can_go_on.wait()
            if answer.status or answer.has_failed:
                self.is_reusable = False
                return
            self._transport.write(piece)
            self._heard_at = self._loop.time()
            await asyncio.sleep(0)

    # The callbacks of the transport.

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transports have another base class

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.is_reusable = False
        self._can_go_on.set()
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        if (answer := self._answer) is None or answer.is_complete:
            return
        if not answer.status:
            answer.fail(exc or ConnectionResetError("the connection was closed"))
        elif self._has_end or exc is not None:
            answer.fail(CutOff("the connection was cut"))
        else:
            answer.end()

    @override
    def pause_writing(self) -> None:
        self._is_full = True
        self._can_go_on.clear()

    @override
    def resume_writing(self) -> None:
        self._is_full = False
        self._can_go_on.set()

    @override
    def data_received(self, data: bytes) -> None:
        answer = self._answer
        if answer is None:  # no request was sent
            self.close()
            return
        self._heard_at = self._loop.time()
        self.has_heard = True
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.is_reusable = False
            if not self._is_over:  # otherwise the invalid data follow a complete response
                if not answer.is_complete:
                    answer.fail(CutOff(f"the answer is not HTTP: {error}"))
                self.close()
                return
        if pieces := self._pieces:
            body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            pieces.clear()
            self._num_bare_bytes = 0
            answer.add(body)
        else:
            self._num_bare_bytes += len(data)
        if self._is_over:
            self._is_over = False
            answer.end()
        elif self._num_bare_bytes > _MAX_BARE_BYTES:
            part = "the chunk framing" if answer.status else "the head"
            answer.fail(CutOff(f"{part} of the answer is too long"))
            self.close()

    # The callbacks of the parser.

    def on_message_begin(self) -> None:
        if self._answer is None or self._answer.is_complete or self._is_over:
            self.is_reusable = False  # a response without a request

    def on_header(self, name: bytes, value: bytes) -> None:
        kind = name.lower()
        if kind in (b"content-length", b"transfer-encoding"):
            self._has_end = True
        elif kind == b"location":
            self._location = value
        elif kind == b"retry-after":
            self._retry_after = value

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= 200 and self._answer is not None and not self._answer.status:
            self.is_reusable = self.is_reusable and status not in _REFUSALS
            self._answer.begin(status, self._location.decode("latin-1"), self._retry_after.decode("latin-1"))
            self._can_go_on.set()  # so that `_send` stops

    def on_body(self, body: bytes) -> None:
        if not self._is_over:  # otherwise a response without a request
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        if self._answer is None or not self._answer.status:
            return  # an interim response, such as 100
        self.is_reusable = self.is_reusable and self._parser.should_keep_alive()
        self._is_over = True

    # The timeout.

    def _listen(self, silence_s: float) -> None:
        """Start the timeout. There is one timer for the connection, which is only reset when it fires."""
        self._silence_s = silence_s
        self._heard_at = self._loop.time()
        if self._silence is None:
            self._silence = self._loop.call_later(self._timeout_s, self._check_silence)

    def _check_silence(self) -> None:
        self._silence = None
        if (answer := self._answer) is None or answer.is_complete:
            return
        left_s = self._heard_at + self._silence_s - self._loop.time()
        if left_s > 0:  # at most the usual timeout, since the next response may have less time
            self._silence = self._loop.call_later(min(left_s, self._timeout_s), self._check_silence)
            return
        error = CutOff("no data were received in time")
        error.__cause__ = TimeoutError()
        answer.fail(error)
        self.close()
