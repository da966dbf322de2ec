"""The watch over several servers: one that is unhealthy gets no new requests until it is healthy again."""

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
# A busy server may answer late once.
_MAX_FAILURES: Final = 1

_log = logging.getLogger(__name__)

Check: TypeAlias = Callable[[Server], Awaitable[None]]
"""Raises an EngineError unless a server that has come, or has come back, serves the engine's model."""


async def is_healthy(server: Server) -> bool:
    """Ask a server whether it is healthy, as its own supervisor would; where it cannot be asked, return what
    is known.
    """
    try:
        return await server.upstream.health.answer()
    except NoAnswer:
        return server.is_healthy


async def watch(servers: Sequence[Server], check: Check) -> None:
    """Ask all servers again and again, each by itself, and set their standing.

    A server that says that it is not healthy, because it stops for example, computes what it has begun and
    gets no more: so servers can be replaced one by one. Another server may answer in its place later, so it
    is checked before it gets requests again.
    """
    await asyncio.gather(*(_watch(server, check) for server in servers))


async def _watch(server: Server, check: Check) -> None:
    num_failures = 0
    while True:
        with suppress(NoAnswer):  # nothing is known of the server, and nothing changes
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
            return  # it will be asked again
        server.refuse(str(error))
    except Exception:
        _log.exception("%s could not be checked", server.upstream.url)
    else:
        server.admit()
