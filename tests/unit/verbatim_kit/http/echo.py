"""An application that says what it was sent, behind the protocol under test."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Final, Literal

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.support.servers.certificates import Certificate
from tests.support.servers.running_app import listening
from verbatim_kit.http.connections import Connections
from verbatim_kit.http.limits import HttpLimits
from verbatim_kit.http.protocol import bounded_protocol

LIMITS: Final = HttpLimits(
    max_url_bytes=1_000,
    max_header_bytes=4_000,
    max_headers=20,
    header_timeout=60.0,
    body_timeout=60.0,
    min_body_rate=1_024,
    keep_alive_timeout=60.0,
    client_timeout=60.0,
    max_connections=100,
    max_discarded_bytes=100_000,
)


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with method, path, query, headers and body, once the body is complete."""
    body = b""
    is_complete = False
    while not is_complete:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        is_complete = not message["more_body"]
    said = {
        "method": scope["method"],
        "path": scope["path"],
        "query": scope["query_string"].decode(),
        "headers": [[name.decode(), value.decode("latin-1")] for name, value in scope["headers"]],
        "body": body.decode("latin-1"),
    }
    await answer(send, json.dumps(said).encode())


async def answer(send: Send, body: bytes) -> None:
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


class Clock:
    """Monotonic time, with what tests add to it."""

    def __init__(self) -> None:
        self.added_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.added_s


class Served:
    """A server that runs."""

    def __init__(self, port: int, connections: Connections, clock: Clock) -> None:
        self.port = port
        self.connections = connections
        self._clock = clock

    def pass_time(self, seconds: float) -> None:
        """Have the time limits checked, and checked again as if so much time had passed."""
        self.connections.check()  # a wait begins when it is first seen
        self._clock.added_s += seconds
        self.connections.check()

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator["Client", None]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield Client(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def exchange(self, raw: bytes) -> "Answer":
        """Send bytes over a connection of their own and read one answer."""
        async with self.connect() as client:
            client.write(raw)
            return await client.read_answer()


@asynccontextmanager
async def serving(
    app: ASGIApp = echo,
    *,
    lifespan: Literal["on", "off"] = "off",
    certificate: Certificate | None = None,
    **limits: Any,
) -> AsyncGenerator[Served, None]:
    """A server with `LIMITS`, but for those given. certificate: for HTTPS."""
    clock = Clock()
    connections = Connections(replace(LIMITS, **limits), clock)
    config = uvicorn.Config(
        app,
        port=0,
        log_config=None,
        lifespan=lifespan,
        http=bounded_protocol(connections),
        ws="none",
        ssl_certfile=None if certificate is None else certificate.certificate,
        ssl_keyfile=None if certificate is None else certificate.key,
    )
    async with listening(config) as port:
        yield Served(port, connections, clock)


class Answer:
    """One response; header names are in lower case."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """One connection, at the level of bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def write(self, raw: bytes) -> None:
        self._writer.write(raw)

    def end(self) -> None:
        """Close this side of the connection, and read on."""
        self._writer.write_eof()

    async def flushed(self) -> None:
        """Return when the server may have read what was written: its loop is this one."""
        await self._writer.drain()
        for _ in range(3):
            await asyncio.sleep(0)

    async def read_answer(self) -> Answer:
        """Raises IncompleteReadError or ConnectionError if the connection ends before."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = (line.split(": ", 1) for line in head[1:] if line)
        headers = {name.lower(): value for name, value in pairs}
        body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        return Answer(int(head[0].split()[1]), headers, body)

    async def read_exactly(self, num_bytes: int) -> bytes:
        return await self._reader.readexactly(num_bytes)

    async def read_to_end(self) -> bytes:
        """All that comes before the server closes the connection, however it does."""
        received = b""
        try:
            while data := await self._reader.read(65_536):
                received += data
        except ConnectionError:
            pass
        return received
