"""A client that keeps the server waiting is cut off; one that the server keeps waiting is not."""

import asyncio

import pytest
from starlette.types import Receive, Scope, Send

from tests.support.clocks.until import until
from tests.unit.verbatim_kit.http.echo import answer, serving

HEAD = b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n"
GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"


@pytest.mark.parametrize("begun", [b"GET / HTTP/1.1\r\nHost: test\r\n", b"GET /a", HEAD + b"X:"])
async def test_headers_that_take_too_long_are_refused(begun: bytes) -> None:
    async with serving(header_timeout=0.1) as server, server.connect() as client:
        client.write(begun)
        refusal = await client.read_answer()
        assert refusal.status == 408
        assert refusal.json() == {"error": "The request's headers took too long"}
        assert await client.read_to_end() == b""


async def test_headers_that_come_a_byte_at_a_time_gain_no_time() -> None:
    async with serving(header_timeout=0.1) as server, server.connect() as client:
        reading = asyncio.ensure_future(client.read_answer())
        client.write(b"GET /")
        while not reading.done():
            client.write(b"a")
            await asyncio.wait([reading], timeout=0.02)
        refusal = await reading
        assert (refusal.status, refusal.json()) == (408, {"error": "The request's headers took too long"})


async def test_a_connection_without_a_request_is_closed_in_silence() -> None:
    async with serving(header_timeout=0.1) as server, server.connect() as client:
        assert await client.read_to_end() == b""


async def test_an_idle_connection_is_closed_after_its_own_time() -> None:
    async with serving(keep_alive_timeout=0.1) as server, server.connect() as client:
        client.write(GET)
        assert (await client.read_answer()).status == 200
        client.write(b"\r\n")  # which begins no request
        assert await client.read_to_end() == b""


async def test_a_body_that_comes_too_slowly_is_refused() -> None:
    async with serving(body_timeout=0.2) as server, server.connect() as client:
        client.write(HEAD + b"\r\na")
        refusal = await client.read_answer()
        assert refusal.status == 408
        assert refusal.json() == {"error": "The request's body came too slowly"}
        assert await client.read_to_end() == b""


async def test_the_application_sees_a_body_that_is_given_up_as_a_disconnect() -> None:
    seen: list[str] = []
    is_over = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] == "http.request":
            pass
        seen.append(message["type"])
        is_over.set()

    async with serving(app, body_timeout=0.1) as server, server.connect() as client:
        client.write(HEAD + b"\r\na")
        assert (await client.read_answer()).status == 408
        await asyncio.wait_for(is_over.wait(), 10)
    assert seen == ["http.disconnect"]


async def test_a_body_at_the_least_rate_is_served_however_long_it_takes() -> None:
    pieces: asyncio.Queue[bytes] = asyncio.Queue()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        pieces.put_nowait(b"")
        more_body = True
        while more_body:
            message = await receive()
            more_body = message["more_body"]
            pieces.put_nowait(message["body"])
        await answer(send, b"read")

    async with serving(app, body_timeout=30.0, min_body_rate=1) as server, server.connect() as client:
        client.write(HEAD.replace(b"100", b"300") + b"\r\n")
        assert await pieces.get() == b""
        server.connections.check()
        for _ in range(10):
            client.write(b"a" * 30)
            assert await pieces.get() == b"a" * 30
            server.pass_time(30.0)
        assert (await client.read_answer()).body == b"read"


async def test_the_rest_of_an_answered_body_is_read_for_one_time_limit_at_any_rate() -> None:
    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"refused")

    forever = serving(refuse, body_timeout=0.1, min_body_rate=10, max_discarded_bytes=2**30)
    async with forever as server, server.connect() as client:
        client.write(HEAD.replace(b"100", b"100000") + b"\r\n")
        assert (await client.read_answer()).body == b"refused"
        ending = asyncio.ensure_future(client.read_to_end())
        for _ in range(1_000):
            client.write(b"a")
            if (await asyncio.wait([ending], timeout=0.01))[0]:
                break
        assert ending.done()


async def test_a_request_may_be_served_for_longer_than_any_limit() -> None:
    began, may_end = asyncio.Event(), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        began.set()
        await may_end.wait()
        await answer(send, b"late")

    async with serving(app) as server, server.connect() as client:
        client.write(GET)
        await began.wait()
        server.pass_time(3600.0)
        may_end.set()
        assert (await client.read_answer()).body == b"late"


async def test_a_body_waits_for_the_word_to_continue() -> None:
    """An application that is not ready to read makes no client late."""
    began, ready = asyncio.Event(), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        began.set()
        await ready.wait()
        message = await receive()
        while message["more_body"]:
            message = await receive()
        await answer(send, b"read")

    async with serving(app) as server, server.connect() as client:
        client.write(HEAD + b"Expect: 100-continue\r\n\r\n")
        await began.wait()
        server.pass_time(3600.0)
        ready.set()
        assert (await client.read_answer()).status == 100
        client.write(b"a" * 100)
        assert (await client.read_answer()).body == b"read"


class Firehose:
    """An application whose answer has no end."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # the request
        left = asyncio.ensure_future(receive())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not left.done():
            await send({"type": "http.response.body", "body": b"a" * 65_536, "more_body": True})
            await asyncio.sleep(0)
        self.ended.set()


async def test_a_client_that_takes_nothing_is_cut_off() -> None:
    app = Firehose()
    async with serving(app, client_timeout=0.2) as server, server.connect() as client:
        client.write(GET)
        await asyncio.wait_for(app.ended.wait(), 30)
        assert server.connections.num_open == 0


async def test_a_client_that_reads_slowly_is_not_cut_off() -> None:
    async with serving(Firehose()) as server, server.connect() as client:
        client.write(GET)
        for _ in range(5):
            await client.read_exactly(16_000_000)  # more than all buffers hold, so the server has sent some
            server.pass_time(40.0)
        await client.read_exactly(16_000_000)


async def test_a_client_that_leaves_a_complete_answer_unread_is_cut_off() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"a" * 30_000_000)

    async with serving(app, client_timeout=0.2, keep_alive_timeout=0.1) as server, server.connect() as client:
        client.write(GET)
        await client.read_exactly(1)
        await until(lambda: not server.connections.num_open)
