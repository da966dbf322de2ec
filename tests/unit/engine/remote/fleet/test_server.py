"""A server's standing by its answers: it rests after failures in a row, and is tried before it gets more."""

import asyncio

import pytest

from engine.remote.client.upstream import Upstream
from engine.remote.fleet import server as module
from engine.remote.fleet.server import Server


@pytest.fixture(autouse=True)
def short_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REST_S", 0.01)


def new_server() -> Server:
    return Server(Upstream("http://127.0.0.1:1", api_key=None, timeout_s=1))


def gets_requests(server: Server) -> bool:
    return server.is_healthy


async def rested(server: Server) -> None:
    async with asyncio.timeout(60):
        while not server.is_healthy:
            await asyncio.sleep(0.001)


async def test_failures_in_a_row_make_a_server_rest_and_one_request_tries_it() -> None:
    server = new_server()
    for _ in range(3):
        assert gets_requests(server)
        assert not server.begin()
        server.failed()
    assert not gets_requests(server)
    await rested(server)
    assert server.begin(), "the trial"
    assert not gets_requests(server), "nobody else until it has a token"
    server.begun()
    assert gets_requests(server)
    server.failed()
    assert not gets_requests(server), "a token alone is no proof: it failed again before a sequence was whole"
    await server.close()


async def test_a_sequence_that_is_whole_ends_the_row() -> None:
    server = new_server()
    for _ in range(5):
        server.failed()
        server.failed()
        server.completed()
    assert gets_requests(server)
    await server.close()


async def test_each_trial_that_fails_doubles_the_rest_up_to_a_bound() -> None:
    server, loop = new_server(), asyncio.get_running_loop()
    rests = []
    for _ in range(2):
        server.failed()
    for _ in range(8):
        server.failed()
        assert server._rest is not None
        rests.append(server._rest.when() - loop.time())
        server.failed()  # of a request that was sent before: counts for nothing
        server._rest.cancel()
        server._end_rest()
        assert server.begin()
    assert rests == pytest.approx([0.01 * 2 ** min(turn, 5) for turn in range(8)], abs=0.005)
    await server.close()


async def test_a_trial_without_a_result_is_followed_by_another() -> None:
    server = new_server()
    for _ in range(3):
        server.failed()
    await rested(server)
    assert server.begin()
    server.end_trial()  # its client has left
    assert gets_requests(server) and server.begin()
    await server.close()


async def test_a_server_that_is_lost_stays_so_though_it_has_rested() -> None:
    server = new_server()
    for _ in range(3):
        server.failed()
    server.lose()
    await asyncio.sleep(0.05)
    assert not gets_requests(server)
    server.admit()
    assert gets_requests(server)
    await server.close()
