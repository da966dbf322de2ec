"""The HTTP client of one server that computes tokens; no torch."""

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
# A server that sends comments lives, and its queue may be long; an engine that hangs looks the same.
_WAITS: Final = 10
# Whoever asks this process for its health needs no key, and SGLang computes a token for each question.
_HEALTH_VALID_S: Final = 1.0


class Whole(NamedTuple):
    """An answer that is read whole."""

    status: int
    """The HTTP status."""

    body: bytes
    """The whole body."""

    location: str = ""
    """The URL to which a redirection leads; "" for other answers."""


class Upstream:
    """The client of one server.

    url: the server's URL as it may be shown, without a password.
    adapters: the names of the adapters that the server has listed.
    max_wait_s: seconds for which comments may take the place of tokens.
    health: tells whether the server says that it is healthy, asked once for all who ask in the same second;
        raises NoAnswer where this process cannot ask.
    """

    def __init__(self, url: str, *, api_key: str | None, timeout_s: float, socket: str | None = None) -> None:
        """Make a client without connections. Requires a running event loop.

        url: the server's URL, with the part of paths that comes before the API's own paths.
        timeout_s: the longest silence of an answer, in seconds.
        socket: the path of the Unix socket at which the server is; None for TCP.
        """
        self.url = shown_url(url)
        self.adapters: frozenset[str] = frozenset()
        # The process of this server's own engine sends comments as long as requests wait.
        self.max_wait_s = inf if socket is not None else _WAITS * timeout_s
        self.health = SharedQuestion(self._is_healthy, _HEALTH_VALID_S)
        self._connections = Connections(url, api_key=api_key, timeout_s=timeout_s, path=socket)

    async def close(self) -> None:
        """Close all connections."""
        self._connections.close()
        await asyncio.sleep(0)  # in which the loop closes their sockets

    @asynccontextmanager
    async def post(
        self,
        path: str,
        body: bytes | Callable[[], Sequence[bytes]],
        *,
        is_fresh: bool = False,
        extra_s: float = 0.0,
    ) -> AsyncIterator[Answer]:
        """Send JSON, and yield the answer, whose status is 200.

        body: the JSON, or a function that makes its parts anew each time that it is sent; it is not kept.
        is_fresh: requires a connection that was never used, as in `Connections.take`.
        extra_s: seconds added to the longest silence, as in `Connection.ask`.
        Leaving the block before the answer's end closes the connection.
        Raises NoAnswer, BadStatus, or CutOff if nothing comes for too long.
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
        """Return a small answer of any status. Raises NoAnswer, for one that is larger too."""
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
        """Return the answer to a request, whose status is known, and its connection.

        A server may close an idle connection while a request is on its way there. So where nothing has come
        over a connection that was idle, the request is sent again over a new one. Raises NoAnswer and CutOff.
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
