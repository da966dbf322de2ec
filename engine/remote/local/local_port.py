"""The port of a server that the engine starts, which is free before that and until the server has it."""

import asyncio
import random
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from yarl import URL

from engine.port.errors import ModelNotSupported

_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST: Final = 10_000  # below, many programs have a port by custom
_HIGHEST: Final = 65_535
_TRIES: Final = 64
_CONNECT_S: Final = 1.0
_PAUSE_S: Final = 0.1


def free_port() -> int:
    """Return a port that is free, and that Linux gives to no outgoing connection.

    A server takes it only once its model is loaded: a connection could have any other port by then.
    """
    first, last = _ephemeral()
    others = [*range(_LOWEST, first), *range(last + 1, _HIGHEST + 1)]
    for port in (*random.sample(others, min(_TRIES, len(others))), 0):
        with suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return int(free.getsockname()[1])
    raise ModelNotSupported("there is no free port for the engine's server")


def _ephemeral() -> tuple[int, int]:
    """Return the first and the last port that the system gives to outgoing connections; all if unknown."""
    try:
        first, last = map(int, _RANGE.read_text().split())
    except (OSError, ValueError):
        return _LOWEST, _HIGHEST
    return first, last


async def wait_until_left(url: str, seconds: float, on_progress: Callable[[str], None]) -> None:
    """Wait until nothing listens at a URL where a command is to start a server.

    A server that is about to end would be taken for the new one, which cannot have its port. Raises
    ModelNotSupported if it is still there after so many seconds.
    """
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + seconds
    has_reported = False
    while await _is_taken(url):
        if loop.time() > ends_at:
            raise ModelNotSupported(
                f"another server listens at {url} already, where the engine's command is to start one"
            )
        if not has_reported:
            has_reported = True
            on_progress(f"waiting until the server that is at {url} has left")
        await asyncio.sleep(_PAUSE_S)


async def _is_taken(url: str) -> bool:
    parts = URL(url)
    try:
        async with asyncio.timeout(_CONNECT_S):
            _, writer = await asyncio.open_connection(parts.host, parts.port)
    except (OSError, TimeoutError):
        return False
    writer.transport.abort()
    return True
