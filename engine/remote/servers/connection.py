"""An HTTP/1.1 connection to a server; no torch.

A stream is given to its reader in the call that receives it. aiohttp, which was here before, puts each piece
into a queue and wakes a task for it.
"""

import asyncio
from typing import Final, cast

import httptools
from typing_extensions import override

from engine.remote.servers.answer import Answer
from engine.remote.servers.failures import CutOff

_MAX_HEAD_BYTES: Final = 65_536
_PIECE_BYTES: Final = 2**18  # of a long body, after which other streams have their turn


class Connection(asyncio.Protocol):
    """A connection that carries one request after another.

    is_reusable: whether it may carry another one, once the answer is complete. idle_since: when its last
    answer was, by the loop's clock.
    """

    def __init__(self, timeout_s: float) -> None:
        """timeout_s: the longest silence before and in an answer. Requires a running event loop."""
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._answer: Answer | None = None
        self._pieces: list[bytes] = []  # of the body, in what is being parsed
        self._is_over = False  # whether the answer ended in it
        self._num_head_bytes = 0
        self._location = b""
        self._retry_after = b""
        self._has_end = False  # whether the head says where the body ends
        self._heard_at = 0.0
        self._silence: asyncio.TimerHandle | None = None
        self._can_write = asyncio.Event()
        self._can_write.set()
        self.is_reusable = True
        self.idle_since = 0.0

    async def ask(self, head: bytes, body: bytes) -> Answer:
        """Send a request, and return its answer once its status is known.

        Raises CutOff if nothing comes for too long or if the answer is none of HTTP, and ConnectionError if
        the connection is closed before it.
        """
        assert self._answer is None and self._transport is not None
        answer = self._answer = Answer()
        self._num_head_bytes, self._location, self._retry_after, self._has_end = 0, b"", b"", False
        self._listen()
        if self._transport.is_closing():
            answer.fail(ConnectionResetError("the connection was closed"))
        elif len(body) <= _PIECE_BYTES:
            self._transport.write(head + body)
        else:
            await self._send(head, body, answer)
        await answer.head()
        return answer

    def release(self) -> bool:
        """End a request, and return whether the connection can carry another; it is closed if it cannot."""
        answer, self._answer = self._answer, None
        self.idle_since = self._loop.time()
        if self.is_reusable and answer is not None and answer.is_complete and not self._is_closing:
            return True
        self.close()
        return False

    def close(self) -> None:
        """Close the connection at once, as a client that has left does."""
        self.is_reusable = False
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        if self._transport is not None:
            self._transport.abort()

    @property
    def _is_closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    async def _send(self, head: bytes, body: bytes, answer: Answer) -> None:
        """Send a long body piece by piece, as far as the server reads it and does not answer before."""
        assert self._transport is not None
        self._transport.write(head)
        view = memoryview(body)
        for start in range(0, len(body), _PIECE_BYTES):
            await self._can_write.wait()
            if answer.status or answer.has_failed:
                self.is_reusable = False
                return
            self._transport.write(view[start : start + _PIECE_BYTES])
            self._heard_at = self._loop.time()
            await asyncio.sleep(0)

    # The callbacks of the transport.

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are registered as no class

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.is_reusable = False
        self._can_write.set()
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
        self._can_write.clear()

    @override
    def resume_writing(self) -> None:
        self._can_write.set()

    @override
    def data_received(self, data: bytes) -> None:
        answer = self._answer
        if answer is None:  # nothing was asked
            self.close()
            return
        self._heard_at = self._loop.time()
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.is_reusable = False
            if not self._is_over:  # or else the answer has come, with more
                if not answer.is_complete:
                    answer.fail(CutOff(f"the answer is not HTTP: {error}"))
                self.close()
                return
        if pieces := self._pieces:
            body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            pieces.clear()
            answer.add(body)
        if self._is_over:
            self._is_over = False
            answer.end()
        elif not answer.status:
            self._num_head_bytes += len(data)
            if self._num_head_bytes > _MAX_HEAD_BYTES:
                answer.fail(CutOff("the head of the answer is too long"))
                self.close()

    # The callbacks of the parser.

    def on_message_begin(self) -> None:
        if self._answer is None or self._answer.is_complete or self._is_over:
            self.is_reusable = False  # nothing was asked that this could answer

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
            self._answer.begin(status, self._location.decode("latin-1"), self._retry_after.decode("latin-1"))

    def on_body(self, body: bytes) -> None:
        if not self._is_over:  # or else of an answer to nothing
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        if self._answer is None or not self._answer.status:
            return  # an interim answer, such as 100, which another follows
        self.is_reusable = self.is_reusable and self._parser.should_keep_alive()
        self._is_over = True

    # The watch over silence.

    def _listen(self) -> None:
        """Begin to count the silence. One timer is enough: it is set anew when it is over, and not before."""
        self._heard_at = self._loop.time()
        if self._silence is None:
            self._silence = self._loop.call_later(self._timeout_s, self._check_silence)

    def _check_silence(self) -> None:
        self._silence = None
        if (answer := self._answer) is None or answer.is_complete:
            return
        left_s = self._heard_at + self._timeout_s - self._loop.time()
        if left_s > 0:
            self._silence = self._loop.call_later(left_s, self._check_silence)
            return
        error = CutOff("nothing came for too long")
        error.__cause__ = TimeoutError()
        answer.fail(error)
        self.close()
