"""The HTTP client of one server that computes tokens; no torch."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from engine.remote.servers.answer import Answer
from engine.remote.servers.connections import Connections
from engine.remote.servers.failures import BadStatus, CutOff, NoAnswer


class Whole(NamedTuple):
    """An answer that is read whole. location: where a redirection leads."""

    status: int
    body: bytes
    location: str = ""


class Upstream:
    """One server. num_outstanding: tokens, of prompts and yet to come, of the requests that it computes.

    is_healthy: whether it is to get requests, if there are others. adapters: those that it has listed.
    """

    def __init__(self, url: str, *, api_key: str | None, timeout_s: float, socket: str | None = None) -> None:
        """url: with the part of paths that comes before those of the API. timeout_s: the longest silence of
        an answer. socket: the path of the Unix socket at which the server is, if it is there. Requires a
        running event loop.
        """
        self.url = url.rstrip("/")
        self.num_outstanding = 0
        self.is_healthy = True
        self.adapters: frozenset[str] = frozenset()
        self._connections = Connections(url, api_key=api_key, timeout_s=timeout_s, path=socket)

    async def close(self) -> None:
        """Close all connections."""
        self._connections.close()
        await asyncio.sleep(0)  # in which the loop closes their sockets

    @asynccontextmanager
    async def post(self, path: str, body: bytes) -> AsyncIterator[Answer]:
        """Send JSON, and yield the answer, whose status is 200.

        Leaving the block before the answer's end closes the connection.
        Raises NoAnswer, BadStatus, or CutOff if nothing comes for too long.
        """
        connection = await self._connections.take()
        try:
            try:
                answer = await connection.ask(self._connections.head("POST", path, len(body)), body)
            except OSError as error:
                raise NoAnswer from error
            if answer.status != 200:
                raise BadStatus(answer.status, await answer.error_body())
            yield answer
        finally:
            self._connections.give(connection)

    async def get(self, path: str, *, timeout_s: float) -> Whole:
        """Return a small answer of any status. Raises NoAnswer."""
        try:
            async with asyncio.timeout(timeout_s):
                connection = await self._connections.take()
                try:
                    answer = await connection.ask(self._connections.head("GET", path), b"")
                    return Whole(answer.status, await answer.whole(), answer.location)
                finally:
                    self._connections.give(connection)
        except (CutOff, OSError, TimeoutError) as error:
            raise NoAnswer from error
