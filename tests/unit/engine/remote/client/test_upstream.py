"""The client of a server: what it sends, and what it makes of answers in any form."""

import asyncio
import gc
import ssl
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.remote.client import upstream as upstreams
from engine.remote.client.failures import BadStatus, CutOff, NoAnswer
from engine.remote.client.shared_question import SharedQuestion
from engine.remote.client.upstream import Upstream
from tests.support.clocks.until import until
from tests.support.servers.certificates import needs_openssl, self_signed

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
SHORT_S = 0.3


class RawServer:
    """A server that sends the bytes of its script, one of them for each request, whatever it is.

    An empty one closes the connection at its end. heads: of all requests. num_connections: so far.
    """

    def __init__(self, *script: bytes) -> None:
        self.script = list(script)
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.num_connections = 0
        self.writers: list[asyncio.StreamWriter] = []
        self.has_left = asyncio.Event()
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.num_connections += 1
        self.writers.append(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                length = next(
                    (
                        int(line[15:])
                        for line in head.lower().split(b"\r\n")
                        if line.startswith(b"content-length:")
                    ),
                    0,
                )
                self.bodies.append(await reader.readexactly(length))
                reply = self.script.pop(0)
                writer.write(reply)
                if not reply or not self.script:
                    await writer.drain()
                if not reply:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            self.has_left.set()
        except asyncio.CancelledError:
            pass  # asyncio logs it
        finally:
            writer.close()


@asynccontextmanager
async def asked(
    *script: bytes, timeout_s: float = 60.0, url: str = "http://127.0.0.1:{}", api_key: str | None = None
) -> AsyncIterator[tuple[Upstream, RawServer]]:
    """Yield a client, and the server that it asks."""
    server = RawServer(*script)
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    upstream = Upstream(url.format(server.port), api_key=api_key, timeout_s=timeout_s)
    try:
        yield upstream, server
    finally:
        await upstream.close()
        listening.close()
        for writer in server.writers:
            writer.close()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def streamed(upstream: Upstream, num_parts: int | None = None) -> bytes:
    """Return what is read of an answer, up to a number of parts."""
    found: list[bytes] = []
    async with upstream.post("/x", b"{}") as answer:
        while len(found) != num_parts and (part := await answer.read()):
            found.append(part)
        await answer.rest()
    return b"".join(found)


async def whole(upstream: Upstream, body: bytes = b"{}") -> bytes:
    async with upstream.post("/x", body) as answer:
        return await answer.whole()


async def test_a_connection_carries_one_request_after_another() -> None:
    stream = CHUNKED + chunk(b"ab") + chunk(b"c") + END
    async with asked(stream, OK, stream) as (upstream, server):
        assert await streamed(upstream) == b"abc"
        assert await whole(upstream) == b"ok"
        assert await streamed(upstream) == b"abc"
        assert server.num_connections == 1


async def test_requests_at_once_have_connections_of_their_own() -> None:
    async with asked(OK, OK, OK) as (upstream, server):
        assert await asyncio.gather(*(whole(upstream) for _ in range(3))) == [b"ok"] * 3
        assert server.num_connections == 3


async def test_what_follows_the_part_that_is_enough_is_read_and_dropped() -> None:
    stream = CHUNKED + chunk(b"a") + chunk(b"[DONE]") + END
    async with asked(stream, OK) as (upstream, server):
        assert (await streamed(upstream, 1)).startswith(b"a")
        assert await whole(upstream) == b"ok"
        assert server.num_connections == 1


async def test_an_answer_that_is_left_closes_its_connection() -> None:
    async with asked(CHUNKED + chunk(b"a"), OK) as (upstream, server):
        async with upstream.post("/x", b"{}") as answer:
            assert await answer.read() == b"a"
        await asyncio.wait_for(server.has_left.wait(), 30)


async def test_an_answer_without_a_length_ends_with_its_connection() -> None:
    async with asked(b"HTTP/1.0 200 OK\r\n\r\nall of it", b"") as (upstream, server):
        reading = asyncio.create_task(whole(upstream))
        await until(lambda: server.bodies)
        server.writers[0].close()
        assert await reading == b"all of it"


async def test_an_answer_that_closes_its_connection_is_not_waited_for_there_again() -> None:
    closing = OK.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
    async with asked(closing, OK) as (upstream, server):
        assert [await whole(upstream), await whole(upstream)] == [b"ok", b"ok"]
        assert server.num_connections == 2


async def test_an_interim_answer_is_passed_over() -> None:
    async with asked(b"HTTP/1.1 100 Continue\r\n\r\n" + OK, OK) as (upstream, server):
        assert [await whole(upstream), await whole(upstream)] == [b"ok", b"ok"]
        assert server.num_connections == 1


async def test_an_answer_after_the_one_that_was_asked_for_answers_no_later_request() -> None:
    async with asked(OK.replace(b"ok", b"in") + OK.replace(b"ok", b"no"), OK) as (upstream, server):
        assert [await whole(upstream), await whole(upstream)] == [b"in", b"ok"]
        assert server.num_connections == 2


@pytest.mark.parametrize("reply", [b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 200 OK\r\nx: " + b"a" * 100_000])
async def test_what_is_no_answer_of_http_is_refused(reply: bytes) -> None:
    async with asked(reply) as (upstream, _):
        with pytest.raises(CutOff, match="not HTTP"):
            await whole(upstream)


async def test_a_head_that_does_not_end_is_no_longer_read() -> None:
    async with asked(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 20_000) as (upstream, server):
        with pytest.raises(CutOff, match="Too many headers"):
            await whole(upstream)
        await asyncio.wait_for(server.has_left.wait(), 30)


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 200 OK\r\ncontent-le"])
async def test_a_connection_that_closes_before_its_answer_gives_none(reply: bytes) -> None:
    async with asked(reply, b"") as (upstream, server):
        reading = asyncio.create_task(whole(upstream))
        await until(lambda: server.bodies)
        server.writers[0].close()
        with pytest.raises(NoAnswer):
            await reading


async def test_an_answer_that_is_cut_is_not_taken_for_a_whole_one() -> None:
    for reply in (CHUNKED + chunk(b"a"), OK[:-1]):
        async with asked(reply) as (upstream, server):
            reading = asyncio.create_task(whole(upstream))
            await until(lambda: server.bodies)
            server.writers[0].close()
            with pytest.raises(CutOff, match="cut"):
                await reading


@pytest.mark.parametrize("reply", [b"HTTP/1.1 ", CHUNKED + chunk(b"a")], ids=["before", "within"])
async def test_silence_ends_an_answer(reply: bytes) -> None:
    async with asked(reply, timeout_s=SHORT_S) as (upstream, server):
        with pytest.raises(CutOff, match="no data were received in time") as raised:
            await streamed(upstream)
        assert isinstance(raised.value.__cause__, TimeoutError)
        await asyncio.wait_for(server.has_left.wait(), 30)


async def test_sizes_of_many_parts_are_no_bound_on_an_answer() -> None:
    reply = CHUNKED + chunk(b"a") * 40_000 + END
    async with asked(reply, OK) as (upstream, _):
        assert await whole(upstream) == b"a" * 40_000


async def test_an_idle_connection_that_the_server_has_closed_costs_nothing() -> None:
    async with asked(OK, OK, OK, OK) as (upstream, server):
        assert await whole(upstream) == b"ok"
        server.writers[0].close()
        await asyncio.sleep(0.05)
        assert (await upstream.get("/health", timeout_s=30)).body == b"ok"
        # It may be closed just as a request is on its way there.
        server.script.insert(0, b"")
        sent: list[int] = []

        def body() -> list[bytes]:
            sent.append(len(sent))
            return [b"%d" % sent[-1], b""]

        async with upstream.post("/x", body) as answer:
            assert await answer.whole() == b"ok"
        assert server.bodies[-2:] == [b"0", b"1"]


async def test_a_request_that_was_lost_on_a_new_connection_is_not_sent_again() -> None:
    async with asked(b"", OK) as (upstream, server):
        with pytest.raises(NoAnswer):
            await whole(upstream)
        assert len(server.bodies) == 1


@pytest.mark.parametrize("num_bytes", [10, 1_000_000])
async def test_a_body_is_not_kept_while_its_answer_comes(num_bytes: int) -> None:
    class Parts(list[bytes]):
        """A list that can be seen to be gone."""

    made: list[weakref.ref[Parts]] = []

    def body() -> Parts:
        parts = Parts([b"x" * num_bytes, b"y"])
        made.append(weakref.ref(parts))
        return parts

    async with asked(CHUNKED + chunk(b"a")) as (upstream, server), upstream.post("/x", body):
        assert server.bodies == [b"x" * num_bytes + b"y"]
        gc.collect()
        assert [one() for one in made] == [None]


async def test_an_answer_may_be_given_longer_than_others() -> None:
    async with asked(b"", OK, b"", timeout_s=SHORT_S) as (upstream, server):
        server.script = [b"HTTP/1.1 ", b"HTTP/1.1 "]

        async def answer_late() -> None:
            await asyncio.sleep(3 * SHORT_S)
            server.writers[0].write(OK[len(b"HTTP/1.1 ") :])

        answering = asyncio.create_task(answer_late())
        async with upstream.post("/x", b"{}", extra_s=60) as answer:
            assert await answer.whole() == b"ok"
        await answering
        began = asyncio.get_running_loop().time()
        with pytest.raises(CutOff, match="no data were received in time"):
            await whole(upstream)
        assert asyncio.get_running_loop().time() - began < 10


async def test_many_who_ask_for_health_at_once_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstreams, "_HEALTH_VALID_S", 60.0)
    async with asked(OK, OK) as (upstream, server):
        assert await asyncio.gather(*(upstream.health.answer() for _ in range(20))) == [True] * 20
        assert await upstream.health.answer()
        assert len(server.heads) == 1


async def test_who_leaves_takes_the_answer_from_nobody() -> None:
    may_answer = asyncio.Event()
    num_asked = 0

    async def put() -> int:
        nonlocal num_asked
        num_asked += 1
        await may_answer.wait()
        if num_asked == 1:
            raise ConnectionError
        return num_asked

    question = SharedQuestion(put, 60.0)
    leaving, staying = (asyncio.create_task(question.answer()) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.sleep(0)
    may_answer.set()
    with pytest.raises(ConnectionError):
        await staying
    assert await question.answer() == await question.answer() == 2, "an error does not last"


async def test_connections_at_once_ask_for_the_servers_address_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    asking, num_asked = loop.getaddrinfo, 0

    async def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal num_asked
        num_asked += 1
        await asyncio.sleep(0.01)
        return await asking(*arguments, **options)

    monkeypatch.setattr(loop, "getaddrinfo", counted)
    async with asked(*[OK] * 20, url="http://localhost:{}") as (upstream, server):
        await asyncio.gather(*(whole(upstream) for _ in range(20)))
        assert (num_asked, server.num_connections) == (1, 20)


async def test_a_long_body_is_sent_whole_and_its_refusal_is_read() -> None:
    body = b"x" * 3_000_001
    refusal = b"HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nlong"
    async with asked(OK, refusal) as (upstream, server):
        assert await whole(upstream, body) == b"ok"
        assert server.bodies == [body]
        with pytest.raises(BadStatus) as raised:
            await whole(upstream, body)
        assert (raised.value.status, raised.value.body) == (413, b"long")


@pytest.mark.parametrize("pause_s", [0.0, 0.5], ids=["at once", "once nothing more can be sent"])
async def test_a_refusal_that_comes_before_the_body_was_read_is_read(pause_s: float) -> None:
    writers: list[asyncio.StreamWriter] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(pause_s)
        writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nlong")
        await writer.drain()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        upstream = Upstream(f"http://127.0.0.1:{port}", api_key=None, timeout_s=30)
        with pytest.raises(BadStatus) as raised:
            await asyncio.wait_for(whole(upstream, b"x" * 50_000_000), 20)
        assert raised.value.body == b"long"
        await upstream.close()
        for writer in writers:
            writer.close()


async def test_a_body_of_an_error_is_bounded() -> None:
    reply = b"HTTP/1.1 500 No\r\ncontent-length: 100000\r\n\r\n" + b"x" * 100_000
    async with asked(reply) as (upstream, _):
        with pytest.raises(BadStatus) as raised:
            await whole(upstream)
        assert raised.value.body == b""


async def test_the_urls_path_and_user_and_the_key_are_sent() -> None:
    async with asked(OK, url="http://me:a%40b@localhost:{}/base/") as (upstream, server):
        await upstream.get("/v1/models", timeout_s=30)
        head = server.heads[0]
        assert head.startswith(b"GET /base/v1/models HTTP/1.1\r\n")
        assert b"\r\nHost: localhost:%d\r\n" % server.port in head
        assert b"\r\nAuthorization: Basic bWU6YUBi\r\n" in head
    async with asked(OK, api_key="k") as (upstream, server):
        await whole(upstream, b"[1]")
        assert b"\r\nAuthorization: Bearer k\r\n" in server.heads[0]
        assert server.bodies == [b"[1]"]


@pytest.mark.parametrize("key", ["a\r\nX: y", "ä"])
async def test_a_key_that_is_no_header_is_refused_at_once(key: str) -> None:
    with pytest.raises(ValueError, match="header"):
        Upstream("http://127.0.0.1:1", api_key=key, timeout_s=1)


async def test_idle_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstreams, "_KEEP_ALIVE_S", 0.05)
    async with asked(OK, OK) as (upstream, server):
        assert await whole(upstream) == b"ok"
        await asyncio.wait_for(server.has_left.wait(), 30)


async def test_a_server_that_nobody_listens_for_gives_no_answer() -> None:
    async with asked(OK) as (_, server):
        port = server.port
    for host in ("127.0.0.1", "localhost"):
        upstream = Upstream(f"http://{host}:{port}", api_key=None, timeout_s=1)
        with pytest.raises(NoAnswer):
            await whole(upstream)
        await upstream.close()


@needs_openssl
async def test_a_server_with_tls_is_asked_if_its_certificate_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)
    server = RawServer(CHUNKED + chunk(b"ab") + END, OK)
    async with await asyncio.start_server(server.answer, "127.0.0.1", 0, ssl=context) as listening:
        url = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        stranger = Upstream(url, api_key=None, timeout_s=30)
        with pytest.raises(NoAnswer, match="certificate"):
            await whole(stranger)
        await stranger.close()
        monkeypatch.setenv("SSL_CERT_FILE", str(made.certificate))
        upstream = Upstream(url, api_key=None, timeout_s=30)
        assert await streamed(upstream) == b"ab"
        assert await whole(upstream, b"x" * 2_000_000) == b"ok"
        await upstream.close()
