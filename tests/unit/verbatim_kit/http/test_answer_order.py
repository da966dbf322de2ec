"""Answers leave in the order of their requests, whatever becomes of those that follow."""

import asyncio

from starlette.types import Receive, Scope, Send

from handlers.access.connections.settings import http_limits
from handlers.settings.settings import Settings
from tests.unit.verbatim_kit.http.echo import answer, serving

GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: test\r\n"


class Held:
    """An application that answers when it is let."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.left = asyncio.Event()
        self.num_requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.num_requests += 1
        self.began.set()
        await receive()
        if not self.may_answer.is_set():
            left = asyncio.ensure_future(receive())
            allowed = asyncio.ensure_future(self.may_answer.wait())
            await asyncio.wait([left, allowed], return_when=asyncio.FIRST_COMPLETED)
            if left.done():
                self.left.set()
            for task in (left, allowed):
                task.cancel()
        await answer(send, b"held")


async def test_a_refusal_waits_for_the_answers_before_it() -> None:
    app = Held()
    async with serving(app) as server, server.connect() as client:
        client.write(GET)
        await app.began.wait()
        client.write(GET + b"nonsense\r\n\r\n" + GET)
        await client.flushed()
        app.may_answer.set()
        assert [(await client.read_answer()).status for _ in range(3)] == [200, 200, 400]
        assert await client.read_to_end() == b""
    assert app.num_requests == 2


async def test_a_body_that_is_at_fault_takes_no_answer_of_a_request_before_it() -> None:
    app = Held()
    async with serving(app) as server, server.connect() as client:
        client.write(GET)
        await app.began.wait()
        client.write(POST + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n")
        await client.flushed()
        app.may_answer.set()
        assert [(await client.read_answer()).status for _ in range(2)] == [200, 400]
        assert await client.read_to_end() == b""
    assert app.num_requests == 1


async def test_a_connection_may_send_only_so_many_requests_ahead() -> None:
    app = Held()
    async with serving(app) as server, server.connect() as client:
        client.write(GET * 5_000)
        await app.began.wait()
        app.may_answer.set()
        answers = [await client.read_answer() for _ in range(33)]
        assert {each.status for each in answers} == {200}
        assert [each.headers.get("connection") for each in answers] == [None] * 32 + ["close"]
        assert await client.read_to_end() == b""
    assert app.num_requests == 33


async def test_a_client_that_leaves_is_seen_by_the_request_that_is_served() -> None:
    """Even if it has sent another one since."""
    app = Held()
    async with serving(app) as server:
        async with server.connect() as client:
            client.write(GET + GET)
            await app.began.wait()
        await asyncio.wait_for(app.left.wait(), 10)


async def test_a_body_after_its_answer_is_read_for_so_long_and_then_no_more() -> None:
    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"refused")

    async with serving(refuse, max_discarded_bytes=50_000) as server:
        async with server.connect() as client:
            client.write(POST + b"Content-Length: 40000\r\n\r\n")
            assert (await client.read_answer()).body == b"refused"
            client.write(b"a" * 40_000 + GET)
            assert (await client.read_answer()).body == b"refused", "the connection goes on"
        async with server.connect() as client:
            client.write(POST + b"Content-Length: 1000000\r\n\r\n")
            assert (await client.read_answer()).body == b"refused"
            client.write(b"a" * 100_000)
            assert await client.read_to_end() == b""


async def test_a_client_that_sends_all_of_a_large_body_first_reads_its_refusal() -> None:
    """Closing with unread bytes would discard it. By the limits that a server has by default."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"refused")

    limits = http_limits(Settings())
    discarding = serving(refuse, max_discarded_bytes=limits.max_discarded_bytes)
    async with discarding as server, server.connect() as client:
        client.write(POST + b"Content-Length: 10000000\r\n\r\n" + b"a" * 10_000_000 + GET)
        await client.flushed()
        assert [(await client.read_answer()).body for _ in range(2)] == [b"refused"] * 2


async def test_an_answer_without_the_word_to_continue_closes_the_connection() -> None:
    """The next bytes may be the body or another request, depending on how the client understood it."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"refused")

    async with serving(refuse) as server, server.connect() as client:
        client.write(POST + b"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n")
        assert (await client.read_answer()).body == b"refused"
        client.write(GET)
        assert await client.read_to_end() == b""
