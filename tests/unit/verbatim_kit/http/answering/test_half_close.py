"""A client that closes its own side of the connection gets its answers; one that has left is noticed."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial

import pytest
from starlette.types import Receive, Scope, Send

from handlers.serving.server_run import new_event_loop
from tests.support.clocks.until import until
from tests.unit.verbatim_kit.http.echo import Served, serving
from tests.unit.verbatim_kit.http.test_answer_order import Held
from verbatim_kit.http.answering import half_close

GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"
OLD = b"GET / HTTP/1.0\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n"

TO_NOTICE_S = 10.0  # far less than any time limit of these servers


class Streamed:
    """An application that sends events when it is let, and notes whether its client has left."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.left = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"first ", "more_body": True})
        left = asyncio.ensure_future(receive())
        allowed = asyncio.ensure_future(self.may_go_on.wait())
        await asyncio.wait([left, allowed], return_when=asyncio.FIRST_COMPLETED)
        if left.done():
            self.left.set()
        for task in (left, allowed):
            task.cancel()
        await send({"type": "http.response.body", "body": b"second", "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture(autouse=True)
def looks_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half_close, "_FIRST_LOOK_S", 0.001)


async def wait_for_looks(server: Served) -> None:
    """Return when the server has looked several times after a client that has closed its side."""
    await asyncio.sleep(0.02)  # looks are at 1, 3, 7 and 15 ms
    assert server.connections.num_open == 1


@pytest.mark.parametrize(
    "raw", [GET, OLD, POST + b"hello", POST.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\nhello")]
)
async def test_a_client_that_closes_its_side_after_a_request_gets_a_late_answer(raw: bytes) -> None:
    app = Held()
    async with serving(app) as server, server.connect() as client:
        client.write(raw)
        await app.began.wait()
        client.end()
        await wait_for_looks(server)
        app.may_answer.set()
        received = await client.read_to_end()
    assert not app.left.is_set()
    head, _, body = received.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n") and b"connection: close" in head
    assert body == b"held"


async def test_a_client_that_closes_its_side_at_once_gets_its_answer() -> None:
    async with serving() as server, server.connect() as client:
        client.write(POST + b"hello")
        client.end()
        assert (await client.read_answer()).json()["body"] == "hello"
        assert await client.read_to_end() == b""


async def test_a_stream_goes_on_for_a_client_that_closes_its_side() -> None:
    app = Streamed()
    async with serving(app) as server, server.connect() as client:
        client.write(GET)
        assert (await client.read_answer()).status == 200
        client.end()
        await wait_for_looks(server)
        app.may_go_on.set()
        assert unchunked(await client.read_to_end()) == b"first second"
    assert not app.left.is_set()


def unchunked(raw: bytes) -> bytes:
    """Return the content of chunks (RFC 9112, section 7.1), the last one included."""
    content = b""
    while True:
        size, _, raw = raw.partition(b"\r\n")
        num = int(size, 16)
        assert raw[num : num + 2] == b"\r\n"
        if num == 0:
            assert len(raw) == 2
            return content
        content, raw = content + raw[:num], raw[num + 2 :]


@pytest.mark.parametrize("num_complete", [1, 3])
@pytest.mark.parametrize("rest", [b"", b"GET /inc", POST + b"he"])
async def test_requests_that_were_sent_ahead_are_answered_and_an_incomplete_one_is_dropped(
    rest: bytes, num_complete: int
) -> None:
    app = Held()
    async with serving(app) as server, server.connect() as client:
        client.write(GET * num_complete + rest)
        await app.began.wait()
        client.end()
        await wait_for_looks(server)
        app.may_answer.set()
        answers = [await client.read_answer() for _ in range(num_complete)]
        assert [each.body for each in answers] == [b"held"] * num_complete
        assert await client.read_to_end() == b""
    assert app.num_requests == num_complete


async def test_a_refusal_is_sent_to_a_client_that_closes_its_side() -> None:
    app = Held()
    async with serving(app) as server, server.connect() as client:
        client.write(GET + b"nonsense\r\n\r\n")
        await app.began.wait()
        client.end()
        await wait_for_looks(server)
        app.may_answer.set()
        assert [(await client.read_answer()).status for _ in range(2)] == [200, 400]
        assert await client.read_to_end() == b""


@pytest.mark.parametrize("raw", [GET, OLD, POST + b"hello", GET + GET])
async def test_a_client_that_leaves_before_its_answer_is_noticed(raw: bytes) -> None:
    app = Held()
    async with serving(app) as server:
        async with server.connect() as client:
            client.write(raw)
            await app.began.wait()
        await asyncio.wait_for(app.left.wait(), TO_NOTICE_S)
        await all_closed(server)


async def test_a_client_that_leaves_in_a_silent_stream_is_noticed() -> None:
    app = Streamed()
    async with serving(app) as server:
        async with server.connect() as client:
            client.write(GET)
            await client.read_answer()
        await asyncio.wait_for(app.left.wait(), TO_NOTICE_S)
        await all_closed(server)


async def test_a_client_that_closes_its_side_and_leaves_later_is_noticed() -> None:
    app = Held()
    async with serving(app) as server:
        async with server.connect() as client:
            client.write(GET)
            await app.began.wait()
            client.end()
            await wait_for_looks(server)
            assert not app.left.is_set()
        await asyncio.wait_for(app.left.wait(), TO_NOTICE_S)
        await all_closed(server)


@pytest.mark.parametrize("raw", [b"", b"GET / HT", POST, POST + b"he"])
async def test_a_client_that_closes_its_side_before_a_request_is_complete_has_left(raw: bytes) -> None:
    async with serving() as server, server.connect() as client:
        client.write(raw)
        client.end()
        assert await client.read_to_end() == b""
        await all_closed(server)


async def all_closed(server: Served) -> None:
    await until(lambda: not server.connections.num_open, TO_NOTICE_S)


@pytest.mark.parametrize(
    "scenario",
    [
        partial(test_a_client_that_closes_its_side_after_a_request_gets_a_late_answer, GET),
        partial(test_a_client_that_closes_its_side_after_a_request_gets_a_late_answer, OLD),
        test_a_stream_goes_on_for_a_client_that_closes_its_side,
        partial(test_requests_that_were_sent_ahead_are_answered_and_an_incomplete_one_is_dropped, POST, 3),
        partial(test_a_client_that_leaves_before_its_answer_is_noticed, GET),
        partial(test_a_client_that_leaves_before_its_answer_is_noticed, OLD),
        test_a_client_that_leaves_in_a_silent_stream_is_noticed,
        test_a_client_that_closes_its_side_and_leaves_later_is_noticed,
        partial(test_a_client_that_closes_its_side_before_a_request_is_complete_has_left, POST),
    ],
    ids=range(9),
)
def test_the_same_on_the_loop_that_servers_have(scenario: Callable[[], Coroutine[None, None, None]]) -> None:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(scenario())
