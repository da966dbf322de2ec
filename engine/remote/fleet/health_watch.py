"""Health checks of several servers; an unhealthy one gets no new requests until it is healthy again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from engine.port.errors import EngineError
from engine.remote.client.failures import NoAnswer
from engine.remote.fleet.server import Server
from engine.remote.servers.model_list import NotReady, Unlisted

PERIOD_S = 2.0
# A busy server may miss one health check.
_MAX_FAILURES: Final = 1

_log = logging.getLogger(__name__)

Check: TypeAlias = Callable[[Server], Awaitable[None]]
"""A function that raises an EngineError unless a new or returned server serves the engine's model."""


async def is_healthy(server: Server) -> bool:
    """Return the result of a server's health check; if this process cannot send one, the last known state."""
    try:
        return await server.upstream.health.answer()
    except NoAnswer:
        return server.is_healthy


async def watch(servers: Sequence[Server], check: Check) -> None:
    """Check the health of all servers periodically and independently, and update their state.

    A server that reports itself as unhealthy, for example because it is stopping, finishes its running
    requests and gets no new ones, so that servers can be replaced one by one. A different server may later
    answer at its URL, so it is checked before it gets requests again.
    """
    await asyncio.gather(*(_watch(server, check) for server in servers))


async def _watch(server: Server, check: Check) -> None:
    num_failures = 0
    while True:
        with suppress(NoAnswer):  # this process could not ask, so the state does not change
            has_answered = await server.upstream.health.answer()
            num_failures = 0 if has_answered else num_failures + 1
            if has_answered and (server.is_lost or not server.is_admitted):
                await _admit(server, check)
        if num_failures > _MAX_FAILURES:
            server.lose()
        await asyncio.sleep(PERIOD_S)


async def _admit(server: Server, check: Check) -> None:
    try:
        await check(server)
    except EngineError as error:
        if isinstance(error, NotReady) and not isinstance(error, Unlisted):
            return  # it will be checked again
        server.refuse(str(error))
    except Exception:
        _log.exception("%s could not be checked", server.upstream.url)
    else:
        server.admit()
