"""There are only so many connections, and those that are idle make room for new ones."""

import asyncio
import gc
import sys
from contextlib import AsyncExitStack

import pytest
from starlette.types import Receive, Scope, Send

from tests.support.clocks.until import until
from tests.unit.verbatim_kit.http.echo import Client, serving
from tests.unit.verbatim_kit.http.test_answer_order import Held
from verbatim_kit.http.descriptors import OWN_CONNECTIONS, default_max_connections
from verbatim_kit.http.protocol import BoundedProtocol

GET = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"


async def test_a_new_connection_takes_the_place_of_the_one_idle_longest() -> None:
    async with serving(max_connections=3) as server, AsyncExitStack() as open_ones:
        clients = [await open_ones.enter_async_context(server.connect()) for _ in range(3)]
        for client in (clients[1], clients[2], clients[0]):
            await ask(client)
        fourth = await open_ones.enter_async_context(server.connect())
        assert await clients[1].read_to_end() == b""
        for client in (fourth, clients[0], clients[2]):
            await ask(client)
        assert server.connections.num_open == 3


@pytest.mark.parametrize("raw", [GET, b"GET /" + b"a" * 2_000], ids=["answered", "refused"])
async def test_a_lost_connection_is_freed_without_the_garbage_collector(raw: bytes) -> None:
    """A cycle would keep what it has read, a hundred kilobytes, until the collector runs."""
    async with serving() as server:
        gc.collect()
        gc.disable()
        num_before = num_connections()  # other tests' servers may hold some
        try:
            for _ in range(5):
                async with server.connect() as client:
                    client.write(raw)
                    await client.read_answer()
            await until(lambda: num_connections() <= num_before)
        finally:
            gc.enable()


def num_connections() -> int:
    return sum(issubclass(type(each), BoundedProtocol) for each in gc.get_objects())


async def ask(client: Client) -> None:
    client.write(GET)
    assert (await client.read_answer()).status == 200


async def test_silent_connections_and_half_requests_lock_nobody_out() -> None:
    async with serving(max_connections=10) as server, AsyncExitStack() as open_ones:
        for number in range(100):
            client = await open_ones.enter_async_context(server.connect())
            client.write(b"" if number % 2 else b"GET / HTTP/1.1\r\nA:")
        assert (await server.exchange(GET)).status == 200
        assert server.connections.num_open <= 10


async def test_a_connection_that_is_served_makes_no_room() -> None:
    app = Held()
    async with serving(app, max_connections=1) as server, server.connect() as served:
        served.write(GET)
        await app.began.wait()
        async with server.connect() as client:
            refusal = await client.read_answer()
            assert refusal.status == 503
            assert refusal.json() == {"error": "The server has too many connections"}
            assert await client.read_to_end() == b""
        app.may_answer.set()
        assert (await served.read_answer()).status == 200
        await ask_anew(server.port)


async def ask_anew(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(GET)
    assert (await reader.readline()).split()[1] == b"200"
    writer.close()
    await writer.wait_closed()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of descriptors")
def test_the_default_leaves_descriptors_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for limit, most in ((64, 48), (20, 1), (resource.RLIM_INFINITY, 10_000), (10**6, 10_000)):
        monkeypatch.setattr(resource, "getrlimit", lambda kind, limit=limit: (limit, limit))
        assert 1 <= default_max_connections(0) <= most
    monkeypatch.setattr("os.listdir", lambda path: ["0"] * 20)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (64, 64))
    assert default_max_connections(0) == 64 - 20 - 16
    assert default_max_connections(14) == 64 - 20 - 16 - 14
    assert default_max_connections(1000) == (64 - 20 - 16) // 2


async def test_the_limit_is_found_at_the_first_connection_by_what_the_application_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When the server's class is made, nothing of the engine is there, nor open."""
    asked: list[int] = []

    def one_connection(num_own: int) -> int:
        asked.append(num_own)
        return 1

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "lifespan"
        scope["state"][OWN_CONNECTIONS] = 7
        for phase in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{phase}.complete"})

    monkeypatch.setattr("verbatim_kit.http.connections.default_max_connections", one_connection)
    async with serving(app, lifespan="on", max_connections=None) as server:
        assert asked == []
        async with server.connect() as first, server.connect():
            assert await first.read_to_end() == b""
            assert server.connections.num_open == 1
            assert asked == [7]
