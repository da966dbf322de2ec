"""The HTTP client for one server of a token API; no torch."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from math import inf
from typing import Final, NamedTuple

from engine.remote.client.answer import MAX_ANSWER_BYTES, Answer
from engine.remote.client.connection import Connection
from engine.remote.client.connections import Connections
from engine.remote.client.failures import BadStatus, CutOff, NoAnswer, is_own
from engine.remote.client.shared_question import SharedQuestion
from engine.remote.shown_url import shown_url

_HEALTH_TIMEOUT_S: Final = 2.0
# A server that sends comments is alive and may have a long queue; but a hanging engine looks the same.
_WAITS: Final = 10
# Health requests to this process need no key, and SGLang generates a token for each of its own.
_HEALTH_VALID_S: Final = 1.0


class Whole(NamedTuple):
    """A complete response."""

    status: int
    """The HTTP status."""

    body: bytes
    """The body."""

    location: str = ""
    """The target URL of a redirect; "" for other responses."""


class Upstream:
    """The HTTP client for one server.

    url: the server's URL without a password, for messages. adapters: names of the adapters that the server
    has listed. max_wait_s: maximum seconds for which only comments, and no tokens, may arrive. health: the
    health check, whose result is shared for a second; raises NoAnswer if this process could not send it.
    """

    def __init__(self, url: str, *, api_key: str | None, timeout_s: float, socket: str | None = None) -> None:
        """Create a client without connections. Requires a running event loop.

        url: the base URL of the server, with the prefix of its API's paths.
        timeout_s: maximum time without data in a response, in seconds.
        socket: path of the server's Unix socket; None for TCP.
        """
        self.url = shown_url(url)
        self.adapters: frozenset[str] = frozenset()
        # The engine process of this server sends comments as long as requests wait.
        self.max_wait_s = inf if socket is not None else _WAITS * timeout_s
        self.health = SharedQuestion(self._is_healthy, _HEALTH_VALID_S)
        self._connections = Connections(url, api_key=api_key, timeout_s=timeout_s, path=socket)

    async def close(self) -> None:
        """Close all connections."""
        self._connections.close()
        await asyncio.sleep(0)  # lets the event loop close the sockets

    @asynccontextmanager
    async def post(
        self,
        path: str,
        body: bytes | Callable[[], Sequence[bytes]],
        *,
        is_fresh: bool = False,
        extra_s: float = 0.0,
    ) -> AsyncIterator[Answer]:
        """Send a JSON body, and yield the response if its status is 200.

        body: the JSON, or a function that creates its parts each time that it is sent; it is not stored.
        is_fresh: require a new connection, as in `Connections.take`.
        extra_s: seconds to add to the timeout, as in `Connection.ask`.
        Leaving the block before the end of the response closes the connection.
        Raises NoAnswer, BadStatus or CutOff.
        """
        connection, answer = await self._asked("POST", path, body, is_fresh, extra_s)
        del body
        try:
            if answer.status != 200:
                raise BadStatus(answer.status, await answer.error_body(), answer.retry_after)
            yield answer
        finally:
            self._connections.give(connection)

    async def get(self, path: str, *, timeout_s: float, max_bytes: int = MAX_ANSWER_BYTES) -> Whole:
        """Return a response of any status. Raises NoAnswer, also if it is larger than `max_bytes`."""
        try:
            async with asyncio.timeout(timeout_s):
                connection, answer = await self._asked("GET", path)
                try:
                    return Whole(answer.status, await answer.whole(max_bytes), answer.location)
                finally:
                    self._connections.give(connection)
        except (CutOff, TimeoutError) as error:
            raise NoAnswer from error

    async def _asked(
        self,
        method: str,
        path: str,
        body: bytes | Callable[[], Sequence[bytes]] | None = None,
        is_fresh: bool = False,
        extra_s: float = 0.0,
    ) -> tuple[Connection, Answer]:
        """Send a request; return its connection and its response, whose headers have been received.

        A server may close an idle connection while a request is in transit. So if nothing was received on a
        connection that was idle, the request is sent again on a new one. Raises NoAnswer and CutOff.
        """
        while True:
            connection = await self._connections.take(is_fresh=is_fresh)
            was_idle = connection.idle_since is not None
            try:
                parts = () if body is None else (body,) if isinstance(body, bytes) else body()
                num_bytes = None if body is None else sum(map(len, parts))
                head = self._connections.head(method, path, num_bytes)
                return connection, await connection.ask(head, parts, extra_s)
            except OSError as error:
                self._connections.give(connection)
                if not was_idle or connection.has_heard:
                    raise NoAnswer from error
                is_fresh = True
            except BaseException:
                self._connections.give(connection)
                raise

    async def _is_healthy(self) -> bool:
        try:
            return (await self.get("/health", timeout_s=_HEALTH_TIMEOUT_S)).status == 200
        except NoAnswer as error:
            if is_own(error):
                raise
            return False
