"""The watch over servers: who gets no requests, and who gets them again."""

import asyncio
from collections.abc import Callable

import pytest

from engine.remote.servers import upstream
from engine.remote.servers.health_watch import watch
from engine.remote.servers.upstream import Upstream
from tests.scripted.upstream import hangs, running_upstream


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.001)


async def test_a_server_is_left_out_while_it_is_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream, "_HEALTH_VALID_S", 0.0)
    async with running_upstream(hangs()) as first, running_upstream(hangs()) as second:
        servers = [Upstream(each.url, api_key=None, timeout_s=60) for each in (first, second)]
        watching = asyncio.create_task(watch(servers, period_s=0.001))
        try:
            first.is_healthy = False
            await until(lambda: not servers[0].is_healthy)
            assert servers[1].is_healthy
            first.is_healthy = True
            await until(lambda: servers[0].is_healthy)
            await second.stop()
            await until(lambda: not servers[1].is_healthy)
            await second.start()
            await until(lambda: servers[1].is_healthy)
        finally:
            watching.cancel()
            for server in servers:
                await server.close()
