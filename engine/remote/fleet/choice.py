"""The choice of a server for each sequence, and of another one if the first fails; no torch."""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from engine.port.errors import EngineBusy
from engine.remote.client.failures import NoAnswer, ServerFailed, is_own
from engine.remote.fleet.server import Server

_log = logging.getLogger(__name__)


def least_loaded(
    servers: Sequence[Server], adapter: str | None = None, but: Server | None = None
) -> Server | None:
    """Return the server with the fewest outstanding tokens, by turns among equals; None if there is none.

    Servers that list the adapter are preferred, and then healthy ones. `but` is left out, and so are servers
    that are not admitted.
    """
    usable = [server for server in servers if server.is_admitted and server is not but]
    usable = [server for server in usable if adapter in server.upstream.adapters] or usable
    usable = [server for server in usable if server.is_healthy] or usable
    return min(usable, key=lambda server: (server.num_outstanding, server.last_begun_at), default=None)


async def run_on_one(
    servers: Sequence[Server], num_tokens: int, adapter: str | None, run: Callable[[Server], Awaitable[None]]
) -> None:
    """Run a sequence on the least loaded server, and once more on another if no token has come from it.

    The only server is tried again if it did not answer. num_tokens: prompt tokens and requested tokens.
    run: raises NoAnswer, EngineBusy or ServerFailed if no token has come and another server may succeed.
    Raises the errors of `run`, with EngineBusy for NoAnswer.
    """
    server = least_loaded(servers, adapter)
    if server is None:
        raise EngineBusy("no server of the engine serves its model")
    is_alone = sum(each.is_admitted for each in servers) == 1

    async def run_on(server: Server) -> None:
        server.last_begun_at = time.monotonic()
        server.num_outstanding += num_tokens
        try:
            await run(server)
        except NoAnswer as error:
            _log.warning("%s did not answer a request: %s", server.upstream.url, error)
            if not is_alone and not is_own(error):
                server.lose()
            raise EngineBusy("the engine's server cannot be reached") from error
        finally:
            server.num_outstanding -= num_tokens

    try:
        await run_on(server)
    except (EngineBusy, ServerFailed) as error:
        is_lost = isinstance(error.__cause__, NoAnswer)
        other = server if is_alone and is_lost else least_loaded(servers, adapter, but=server)
        if other is None:
            raise
        await run_on(other)
