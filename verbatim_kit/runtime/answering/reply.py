"""One answer, sent over ASGI."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping

from starlette.types import Send

from verbatim_kit.runtime.answering.framing import HEADERS
from verbatim_kit.runtime.operation import FileContent

RawHeaders = Iterable[tuple[bytes, bytes]]


class Reply:
    """A whole answer or a stream. `started`: whether the status line has gone out.

    is_head: whether the request is a HEAD, whose answer is that of GET without the body (RFC 9110, section
        9.3.2).
    """

    def __init__(self, send: Send, *, is_head: bool) -> None:
        self._send = send
        self.is_head = is_head
        self.started = False
        self._clock = asyncio.get_running_loop().time
        self.last_sent_s = 0.0  # by the event loop's clock
        self._opening = asyncio.Lock()

    async def whole(self, status: int, media_type: str | None, body: bytes, headers: RawHeaders) -> None:
        """Send a whole answer, with its length."""
        content = [(b"content-type", _content_type(media_type))] if media_type else []
        length = [(b"content-length", str(len(body)).encode())]
        await self._start(status, [*content, *length, *headers])
        await self._send({"type": "http.response.body", "body": b"" if self.is_head else body})

    async def file(self, media_type: str, content: FileContent, headers: RawHeaders) -> None:
        """Send a file piece by piece, with its length."""
        length = (b"content-length", str(content.num_bytes).encode())
        await self._start(200, [(b"content-type", media_type.encode()), length, *headers])
        if not self.is_head:
            async for piece in content.pieces:
                await self.events(piece)
        await self.close_events(b"")

    async def open_events(self, media_type: str, headers: RawHeaders) -> None:
        """Send the head of a stream, once; return when it is sent, though another task may send it."""
        async with self._opening:
            if not self.started:
                await self._start(200, [(b"content-type", media_type.encode()), *HEADERS, *headers])

    def events(self, frames: bytes) -> Awaitable[None]:
        """Return the sending of one framed event or several, or of a piece, to be awaited at once."""
        self.last_sent_s = self._clock()
        return self._send({"type": "http.response.body", "body": frames, "more_body": True})

    async def close_events(self, frames: bytes) -> None:
        """Send the end of the stream; `frames` may be empty."""
        await self._send({"type": "http.response.body", "body": frames})

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.started = True
        self.last_sent_s = self._clock()
        await self._send({"type": "http.response.start", "status": status, "headers": headers})


def encode_headers(headers: Mapping[str, str]) -> RawHeaders:
    """Return headers in ASGI's form; names are in lower case."""
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


def _content_type(media_type: str) -> bytes:
    is_text = media_type.startswith("text/") and ";" not in media_type
    return f"{media_type}; charset=utf-8".encode() if is_text else media_type.encode()
