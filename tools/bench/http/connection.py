"""A client connection with minimal cost in Python: the bytes of answers are counted instead of parsed."""

import asyncio
import re
import time
from collections.abc import Mapping
from typing import Final, cast

from typing_extensions import override

_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_END_OF_HEAD: Final = b"\r\n\r\n"
_LAST_CHUNK: Final = b"\r\n0\r\n\r\n"


class Answer:
    """An answer. arrivals: times of arrival, by `time.perf_counter`, with the data. received: all data."""

    def __init__(self) -> None:
        self.arrivals: list[tuple[float, bytes]] = []
        self.received = bytearray()

    @property
    def num_events(self) -> int:
        return self.received.count(b"data:")

    @property
    def status(self) -> int:
        return int(self.received[9:12])


class Connection(asyncio.Protocol):
    """A persistent HTTP/1.1 connection that carries one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._answer = Answer()
        self._length: int | None = None  # of the whole answer, if its headers have it
        self._done: asyncio.Future[Answer] | None = None

    @classmethod
    async def open(cls, host: str, port: int) -> "Connection":
        _, connection = await asyncio.get_running_loop().create_connection(cls, host, port)
        return connection

    async def ask(self, request: bytes) -> Answer:
        """Send a request and wait for the answer. Raises ConnectionError if the connection is closed."""
        assert self._transport is not None
        self._answer, self._length = Answer(), None
        self._done = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._done

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's have another base class

    @override
    def data_received(self, data: bytes) -> None:
        answer = self._answer
        answer.arrivals.append((time.perf_counter(), data))
        if not answer.received:
            self._length = _total_length(data)
        answer.received += data
        is_whole = (
            answer.received.endswith(_LAST_CHUNK)
            if self._length is None
            else len(answer.received) >= self._length
        )
        if is_whole and self._done is not None and not self._done.done():
            self._done.set_result(answer)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(exc or ConnectionResetError("the server closed the connection"))


def post(path: str, body: bytes, host: str = "127.0.0.1", headers: Mapping[str, str] = {}) -> bytes:
    """Return the bytes of a POST request. headers: in addition to the usual ones."""
    further = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"{further}Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def _total_length(head: bytes) -> int | None:
    """Return the length of head and body; None if the body is chunked."""
    found = _LENGTH.search(head, 0, head.index(_END_OF_HEAD) + 2)
    return None if found is None else head.index(_END_OF_HEAD) + 4 + int(found[1])
