"""A client may leave in any way at any state of its connection: nothing of it is an error of the server."""

import asyncio
import logging
import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from starlette.types import Receive, Scope, Send

from handlers.serving.server_run import new_event_loop
from tests.support.clocks.until import until
from tests.support.servers.certificates import needs_openssl, self_signed
from tests.unit.verbatim_kit.http.echo import Served, answer, serving

GET: Final = b"GET / HTTP/1.1\r\nHost: test\r\n"
POST: Final = b"POST / HTTP/1.1\r\nHost: test\r\n"
BODY: Final = b"Content-Length: 5000\r\n"
CHUNKS: Final = b"Transfer-Encoding: chunked\r\n"
HELD: Final = b"X-Answer: held\r\n"
STREAM: Final = b"X-Answer: stream\r\n"
EARLY: Final = b"X-Answer: early\r\n"
UNREAD: Final = b"X-Answer: unread\r\n"
EXPECT: Final = b"Expect: 100-continue\r\n"
END: Final = b"\r\n"

TIMES_OUT: Final = 100.0  # seconds, more than any limit
LOOKS_S: Final = 0.1  # in which a half-closed connection is looked at three times


class State(NamedTuple):
    """The bytes that a client sends, and those that it reads before it leaves.

    late: the time limits are over before that.
    """

    sent: bytes
    read: bytes = b""
    late: bool = False


STATES: Final = {
    "before a request": State(b""),
    "within the request line": State(b"GET /"),
    "within the head": State(GET + b"X-Other: 1\r\nX-"),
    "before the body": State(POST + BODY + END),
    "within the body": State(POST + BODY + END + b"a" * 100),
    "within a chunk": State(POST + CHUNKS + END + b"64\r\naaa"),
    "before 100": State(POST + BODY + UNREAD + EXPECT + END),
    "after 100": State(POST + BODY + EXPECT + END, b"100 Continue\r\n\r\n"),
    "before the answer": State(GET + HELD + END),
    "before the answer to HTTP/1.0": State(b"GET / HTTP/1.0\r\n" + HELD + END),
    "before the answer to HEAD": State(b"HEAD / HTTP/1.1\r\nHost: test\r\n" + STREAM + END),
    "before the rest of an unread body": State(POST + BODY + UNREAD + END + b"a"),
    "within a stream": State(GET + STREAM + END, b"first"),
    "within a stream of HTTP/1.0": State(b"GET / HTTP/1.0\r\n" + STREAM + END, b"first"),
    "idle": State(GET + END, b"answered"),
    "idle for too long": State(GET + END, b"answered", late=True),
    "within the next request": State(GET + END + b"GET /", b"answered"),
    "before an answer with another waiting": State(GET + HELD + END + GET + END + POST + BODY + END + b"a"),
    "before an answer with nonsense waiting": State(GET + HELD + END + b"nonsense\r\n\r\n"),
    "after a 413": State(POST + BODY + EARLY + END + b"a", b"too large"),
    "after a 413 and 100": State(POST + BODY + EARLY + EXPECT + END, b"too large"),
    "after a 400": State(b"nonsense\r\n\r\n", b"not valid"),
    "after a 400 of a body": State(POST + CHUNKS + END + b"nonsense\r\n", b"not valid"),
    "after a 400 of a body that nobody reads": State(
        POST + CHUNKS + UNREAD + EXPECT + END + b"nonsense\r\n", b"not valid"
    ),
    "after a 408 of the head": State(GET, b"too long", late=True),
    "after a 408 of the body": State(POST + BODY + END + b"a", b"too slowly", late=True),
    "after a 408 of a body that nobody reads": State(
        POST + BODY + UNREAD + END + b"a", b"too slowly", late=True
    ),
    "after a 408 of the next request": State(GET + END + b"GET /", b"too long", late=True),
    "after a 414": State(b"GET /" + b"a" * 2_000, b"longer than"),
    "after a 431": State(GET + b"X: " + b"a" * 8_000 + b"\r\n\r\n", b"longer than"),
}


# What a client sends in place of a handshake of TLS: nothing, something else, and its first bytes.
NO_HANDSHAKES: Final = (b"", GET + END, b"\x16\x03\x01\x02\x00\x01")


class Answers:
    """An application that answers as the request asks, when it is let."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        way = dict(scope["headers"]).get(b"x-answer", b"whole")
        if way == b"early":
            await answer(send, b"too large")
            return
        if way == b"unread":
            await self.may_go_on.wait()
        more_body = True
        while more_body:
            message = await receive()
            more_body = message.get("more_body", False)
        if way == b"stream":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"first", "more_body": True})
        if way in (b"held", b"stream"):
            await self.may_go_on.wait()
        if way != b"stream":
            await answer(send, b"answered")
            return
        for _ in range(3):
            await send({"type": "http.response.body", "body": b"further", "more_body": True})
            await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b"last", "more_body": False})


class Peer:
    """A client with its socket in hand, since a transport hides the ways in which one can leave."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._come, self._gone = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = None if tls is None else tls.wrap_bio(self._come, self._gone)

    async def begin(self, port: int) -> None:
        await self._loop.sock_connect(self.socket, ("127.0.0.1", port))
        while self._tls is not None:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._flush()
                self._come.write(await self._loop.sock_recv(self.socket, 65_536))
            else:
                return await self._flush()

    async def send(self, data: bytes) -> None:
        if self._tls is None:
            await self._loop.sock_sendall(self.socket, data)
        elif data:
            self._tls.write(data)
            await self._flush()

    async def alert(self) -> None:
        """Say over TLS that nothing more comes; nothing without TLS."""
        if self._tls is not None:
            try:
                self._tls.unwrap()
            except ssl.SSLWantReadError:
                await self._flush()

    async def read_to(self, end: bytes) -> None:
        """Read until these bytes have come. Raises AssertionError if the connection ends before."""
        read = b""
        while end not in read:
            data = await self._loop.sock_recv(self.socket, 65_536)
            assert data, f"{read!r} lacks {end!r}"
            if self._tls is None:
                read += data
                continue
            self._come.write(data)
            while self._come.pending:
                try:
                    read += self._tls.read(65_536)
                except ssl.SSLWantReadError:
                    break

    async def _flush(self) -> None:
        await self._loop.sock_sendall(self.socket, self._gone.read())

    def reset(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


async def close(peer: Peer) -> None:
    peer.socket.close()


async def say_so_and_close(peer: Peer) -> None:
    await peer.alert()
    peer.socket.close()


async def half_close(peer: Peer) -> None:
    """End this side, and read on."""
    await peer.alert()
    peer.socket.shutdown(socket.SHUT_WR)


async def half_close_and_reset(peer: Peer) -> None:
    await half_close(peer)
    asyncio.get_running_loop().call_later(0.05, peer.reset)


async def reset(peer: Peer) -> None:
    peer.reset()


async def send_nonsense_and_close(peer: Peer) -> None:
    await peer.send(b"nonsense\r\n\r\n" * 10)
    peer.socket.close()


async def stay(peer: Peer) -> None:
    """Leave last, when the application has gone on."""


WAYS: Final = (
    *(close, say_so_and_close, half_close, half_close_and_reset, reset),
    *(send_nonsense_and_close, stay),
)


@pytest.mark.parametrize(
    ("loop", "is_tls"),
    [
        (new_event_loop, False),
        pytest.param(new_event_loop, True, marks=needs_openssl),
        (asyncio.new_event_loop, False),
    ],
    ids=["plain", "tls", "plain on the loop of Python"],
)
def test_a_client_that_leaves_in_any_way_at_any_state_is_no_error(
    loop: Callable[[], asyncio.AbstractEventLoop],
    is_tls: bool,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    certificate = self_signed(tmp_path) if is_tls else None
    context = None if certificate is None else ssl.create_default_context(cafile=str(certificate.certificate))
    if context is not None:
        context.check_hostname = False
    faults: list[dict[str, Any]] = []

    async def leave_at_all() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        app = Answers()
        async with serving(app, certificate=certificate, max_connections=1_000) as server:
            peers = [(state, way, Peer(context)) for state in STATES.values() for way in WAYS]
            if is_tls:
                peers += [(State(sent), way, Peer(None)) for sent in NO_HANDSHAKES for way in WAYS]
            for late in (True, False):
                coming = [(peer, state) for state, _, peer in peers if state.late is late]
                await asyncio.gather(*(arrive(server, peer, state) for peer, state in coming))
                if late:
                    await let_server_read(server, len(coming))
                    server.pass_time(TIMES_OUT)
                await asyncio.gather(*(peer.read_to(state.read) for peer, state in coming if state.read))
            for _, leave, peer in peers:
                with suppress(OSError):  # the server has left first
                    await leave(peer)
            await asyncio.sleep(LOOKS_S)
            app.may_go_on.set()
            await asyncio.sleep(LOOKS_S)
            for _, _, peer in peers:
                peer.socket.close()
            async with asyncio.timeout(30):
                while server.connections.num_open:
                    server.pass_time(TIMES_OUT)
                    await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(leave_at_all())
    assert [fault["message"] for fault in faults] == []
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def arrive(server: Served, peer: Peer, state: State) -> None:
    await peer.begin(server.port)
    await peer.send(state.sent)


async def let_server_read(server: Served, num_connections: int) -> None:
    """Return when the server, whose loop is this one, has taken all connections and read what was sent."""
    await until(lambda: server.connections.num_open >= num_connections)
    for _ in range(20):
        await asyncio.sleep(0)
