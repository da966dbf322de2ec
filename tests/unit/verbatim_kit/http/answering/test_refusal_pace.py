"""Clients that are told to come back later, and do not wait, are read only so often."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import uvloop
from starlette.types import Receive, Scope, Send

from tests.support.clocks.virtual_time import run_in_virtual_time
from tests.unit.verbatim_kit.http.echo import Client, Served, answer, serving
from verbatim_kit.http.answering.refusal_pace import RefusalPace

GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"
GET_OK = b"GET /ok HTTP/1.1\r\nHost: test\r\n\r\n"
RATE = 200  # a second
SECONDS = 1


class Full:
    """Refuses all but /ok, and says when to come back, or does not."""

    def __init__(self, *, says_when: bool = True) -> None:
        self.num_refused = 0
        self._waiting: list[tuple[int, asyncio.Event]] = []
        self._headers = [(b"content-length", b"0")] + [(b"retry-after", b"1")] * says_when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/ok":
            await answer(send, b"fine")
            return
        self.num_refused += 1
        for number, reached in self._waiting:
            if self.num_refused >= number:
                reached.set()
        await send({"type": "http.response.start", "status": 429, "headers": self._headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def has_refused(self, number: int) -> None:
        """Wait until so many requests have been refused."""
        reached = asyncio.Event()
        self._waiting.append((number, reached))
        await reached.wait()


@asynccontextmanager
async def hammered(app: Full, num_clients: int) -> AsyncGenerator[Served, None]:
    async with serving(app) as server, AsyncExitStack() as clients:
        tasks = [
            asyncio.create_task(hammer(await clients.enter_async_context(server.connect())))
            for _ in range(num_clients)
        ]
        yield server
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def hammer(client: Client) -> None:
    while True:
        client.write(GET)
        assert (await client.read_answer()).status == 429


async def test_clients_that_do_not_wait_are_refused_only_so_often() -> None:
    app = Full()
    loop = asyncio.get_running_loop()
    async with hammered(app, 20):
        began = loop.time()
        await asyncio.wait_for(app.has_refused(20 + RATE * SECONDS), 30)
        assert loop.time() - began >= SECONDS - 0.1


async def test_clients_that_connect_anew_for_each_try_are_refused_only_so_often() -> None:
    app = Full()
    loop = asyncio.get_running_loop()

    async def try_anew(server: Served) -> None:
        while True:
            assert (await server.exchange(GET)).status == 429

    async with serving(app) as server:
        began = loop.time()
        tasks = [asyncio.create_task(try_anew(server)) for _ in range(20)]
        await asyncio.wait_for(app.has_refused(20 + RATE * SECONDS), 30)
        assert loop.time() - began >= SECONDS - 0.1
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def test_so_are_they_under_uvloop_which_reads_once_from_a_paused_connection() -> None:
    uvloop.run(test_clients_that_connect_anew_for_each_try_are_refused_only_so_often())


async def test_errors_that_do_not_say_when_to_come_back_are_not_held_up() -> None:
    app = Full(says_when=False)
    async with hammered(app, 20):
        await asyncio.wait_for(app.has_refused(20 + 2 * RATE * SECONDS), 10)


async def answers_s(client: Client, request: bytes, number: int, status: int) -> float:
    """Return the seconds that a number of requests take, one after another."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for _ in range(number):
        client.write(request)
        assert (await client.read_answer()).status == status
    return loop.time() - began


# Of several tries the fastest counts, since a busy machine may slow any one down.
NUM_TRIES = 5


async def test_a_client_that_is_alone_and_refused_now_and_then_does_not_wait() -> None:
    taken_s = []
    for _ in range(NUM_TRIES):
        async with serving(Full()) as server, server.connect() as client:
            taken_s.append(await answers_s(client, GET, 9, 429))
    assert min(taken_s) < 0.4  # 0.05 each if it did


async def test_whoever_was_not_refused_does_not_wait() -> None:
    async with hammered(Full(), 20) as server, server.connect() as client:
        taken_s = [await answers_s(client, GET_OK, 10, 200) for _ in range(NUM_TRIES)]
    assert min(taken_s) < 0.4  # 0.05 each if it did


async def test_requests_that_were_sent_ahead_wait_too_and_are_answered_in_order() -> None:
    app = Full()
    async with serving(app) as server, server.connect() as client:
        client.write(GET * 15 + GET_OK)
        statuses = [(await client.read_answer()).status for _ in range(16)]
    assert statuses == [429] * 15 + [200]


class Waiting:
    """Counts how often it may go on."""

    def __init__(self) -> None:
        self.count = 0

    def go_on(self) -> None:
        self.count += 1


def test_nobody_waits_longer_than_a_second_and_all_go_on_once() -> None:
    async def wait() -> None:
        pace = RefusalPace()
        waiting = [Waiting() for _ in range(1000)]
        num_at_once = sum(pace.may_go_on(connection) for connection in waiting)
        assert num_at_once == RATE * 0.05
        await asyncio.sleep(0.99)
        num_in_turn = sum(connection.count for connection in waiting)
        assert RATE * 0.9 <= num_in_turn <= RATE
        await asyncio.sleep(0.07)  # past a second by the time between two looks
        assert sum(connection.count for connection in waiting) == 1000 - num_at_once
        await asyncio.sleep(10)
        assert max(connection.count for connection in waiting) == 1

    run_in_virtual_time(wait())


def test_a_connection_that_is_lost_does_not_go_on() -> None:
    async def lose() -> None:
        pace = RefusalPace()
        waiting = [Waiting() for _ in range(30)]
        for connection in waiting:
            pace.may_go_on(connection)
        for connection in waiting:
            pace.forget(connection)
        await asyncio.sleep(10)
        assert sum(connection.count for connection in waiting) == 0

    run_in_virtual_time(lose())


def test_a_new_connection_goes_on_when_an_answer_has_made_room() -> None:
    async def serve() -> None:
        pace = RefusalPace()
        for _ in range(RATE):
            pace.may_go_on(Waiting())
        first, second = Waiting(), Waiting()
        assert not pace.may_begin(first)
        assert not pace.may_begin(second)
        pace.note_served()
        assert (first.count, second.count) == (1, 0)

    run_in_virtual_time(serve())
