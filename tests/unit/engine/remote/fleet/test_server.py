"""The watch over servers: which get no requests, and which get them again."""

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from engine.port.errors import ModelNotSupported
from engine.remote.client import upstream as upstreams
from engine.remote.client.failures import NoAnswer
from engine.remote.client.upstream import Upstream, Whole
from engine.remote.fleet import server as module
from engine.remote.fleet.server import Server
from engine.remote.servers.model_list import NotReady
from tests.support.scripted.token_server import hangs, running_upstream


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PERIOD_S", 0.001)
    monkeypatch.setattr(upstreams, "_HEALTH_VALID_S", 0.0)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.001)


async def admits(server: Server) -> None:
    pass


@asynccontextmanager
async def watched(
    *urls: str, check: Callable[[Server], Awaitable[None]] = admits
) -> AsyncIterator[list[Server]]:
    servers = [Server(Upstream(url, api_key=None, timeout_s=60)) for url in urls]
    watching = [asyncio.create_task(server.watch(check)) for server in servers]
    try:
        yield servers
    finally:
        for task in watching:
            task.cancel()
        for server in servers:
            await server.upstream.close()


async def test_a_server_is_left_out_while_it_is_unhealthy() -> None:
    async with (
        running_upstream(hangs()) as first,
        running_upstream(hangs()) as second,
        watched(first.url, second.url) as servers,
    ):
        first.is_healthy = False
        await until(lambda: not servers[0].is_healthy)
        assert servers[1].is_healthy
        first.is_healthy = True
        await until(lambda: servers[0].is_healthy)
        await second.stop()
        await until(lambda: not servers[1].is_healthy)
        await second.start()
        await until(lambda: servers[1].is_healthy)


async def test_a_server_that_comes_back_with_another_model_gets_nothing_until_it_has_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    is_other, asked = True, 0

    async def check(server: Server) -> None:
        nonlocal asked
        asked += 1
        if is_other:
            raise ModelNotSupported("it serves another model")

    async with running_upstream(hangs()) as upstream, watched(upstream.url, check=check) as (server,):
        upstream.is_healthy = False
        await until(lambda: not server.is_healthy)
        upstream.is_healthy = True
        await until(lambda: asked > 3)
        await until(lambda: not server.is_admitted)
        assert server.refusal == "it serves another model"
        is_other = False
        await until(lambda: server.is_admitted)
        assert server.is_healthy
    assert sum("it serves another model" in each.message for each in caplog.records) == 1


async def test_a_server_that_does_not_say_what_it_serves_is_asked_again() -> None:
    asked = 0

    async def check(server: Server) -> None:
        nonlocal asked
        asked += 1
        if asked < 4:
            raise NotReady("it does not answer")

    async with running_upstream(hangs()) as upstream, watched(upstream.url, check=check) as (server,):
        server.lose()
        await until(lambda: asked == 3)
        assert server.is_admitted and not server.is_healthy and server.refusal is None
        await until(lambda: server.is_healthy)


async def test_a_slow_check_holds_up_no_other_server() -> None:
    async def check(server: Server) -> None:
        if server is servers[0]:
            await asyncio.Event().wait()

    async with (
        running_upstream(hangs()) as first,
        running_upstream(hangs()) as second,
        watched(first.url, second.url, check=check) as servers,
    ):
        servers[0].lose()
        servers[1].lose()
        await until(lambda: servers[1].is_healthy)
        assert not servers[0].is_healthy


async def test_a_process_without_files_loses_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    num_asked = 0

    async def fails(upstream: Upstream, path: str, *, timeout_s: float) -> Whole:
        nonlocal num_asked
        num_asked += 1
        raise NoAnswer from OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Upstream, "get", fails)
    async with watched("http://127.0.0.1:1") as (server,):
        await until(lambda: num_asked > 5)
        assert server.is_healthy
        assert await server.check_health()
        server.lose()
        assert not await server.check_health()
