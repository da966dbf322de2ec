"""The HTTP client for one server of a token API, over aiohttp; no torch."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from math import inf
from types import SimpleNamespace
from typing import Final, NamedTuple

import aiohttp
from yarl import URL

from engine.port.trace_context import trace_headers
from engine.remote.client.failures import BadStatus, CutOff, NoAnswer, is_own
from engine.remote.client.shared_question import SharedQuestion
from engine.remote.shown_url import shown_url

_MAX_ANSWER_BYTES: Final = 64 * 2**20
_MAX_ERROR_BYTES: Final = 65_536
_PIECE_BYTES: Final = 2**18  # of a long request body, between which other tasks run
_SLOWEST_BYTES_PER_S: Final = 2**20  # of a server that takes a body
_CONNECT_TIMEOUT_S: Final = 5.0
# Shorter than servers keep idle connections open; vLLM's default is 5 seconds.
_KEEP_ALIVE_S: Final = 4.0
_REST_TIMEOUT_S: Final = 1.0
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


@dataclass
class _Use:
    """The use of a connection by a request. is_reuse: other requests have used it before."""

    is_reuse: bool = False


class Answer:
    """A response whose headers have been received."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def read(self) -> bytes:
        """Return the next part of the body when it has been received; empty at the end. Raises CutOff."""
        try:
            return await self._response.content.readany()
        except TimeoutError as error:
            raise CutOff("no data were received in time") from error
        except (aiohttp.ClientError, OSError) as error:
            raise CutOff("the connection was cut") from error

    async def whole(self, max_bytes: int = _MAX_ANSWER_BYTES) -> bytes:
        """Return the complete body. Raises CutOff, also if it is longer than `max_bytes`."""
        body = bytearray()
        while part := await self.read():
            body += part
            if len(body) > max_bytes:
                raise CutOff("the answer is too long")
        return bytes(body)

    async def rest(self) -> None:
        """Read and discard the rest for at most a second, so that the connection can be reused."""
        with suppress(CutOff, TimeoutError):
            async with asyncio.timeout(_REST_TIMEOUT_S):
                while await self.read():
                    pass


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
        Raises ValueError for a URL without a host, and for a key that cannot be sent in a header.
        """
        base = URL(url, encoded=True)
        if base.host is None:
            raise ValueError(f"{shown_url(url)} has no host")
        self.url = shown_url(url)
        self.adapters: frozenset[str] = frozenset()
        # The engine process of this server sends comments as long as requests wait.
        self.max_wait_s = inf if socket is not None else _WAITS * timeout_s
        self.health = SharedQuestion(self._is_healthy, _HEALTH_VALID_S)
        self._base = str(base.with_user(None)).rstrip("/")
        self._timeout_s = timeout_s
        reuses = aiohttp.TraceConfig()
        reuses.on_connection_reuseconn.append(_note_reuse)
        self._session = aiohttp.ClientSession(
            connector=_connector(base, socket),
            headers=_headers(base, api_key),
            # A balancer's cookie would keep all requests of this front on one of its servers.
            cookie_jar=aiohttp.DummyCookieJar(),
            trace_configs=[reuses],
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    @asynccontextmanager
    async def post(
        self, path: str, body: bytes | Callable[[], Sequence[bytes]], *, extra_s: float = 0.0
    ) -> AsyncIterator[Answer]:
        """Send a JSON body, and yield the response if its status is 200.

        body: the JSON, or a function that creates its parts each time that it is sent; it is not stored.
        extra_s: seconds to add to the timeout.
        Leaving the block before the end of the response closes the connection.
        Raises NoAnswer, BadStatus or CutOff.
        """
        response = await self._asked(path, body, self._timeout_s + extra_s)
        del body
        try:
            answer = Answer(response)
            if response.status != 200:
                error_body = b""
                with suppress(CutOff):
                    error_body = await answer.whole(_MAX_ERROR_BYTES)
                raise BadStatus(response.status, error_body, response.headers.get("Retry-After", ""))
            yield answer
        finally:
            response.close()  # closes no connection whose response was read to its end

    async def get(self, path: str, *, timeout_s: float, max_bytes: int = _MAX_ANSWER_BYTES) -> Whole:
        """Return a response of any status. Raises NoAnswer, also if it is larger than `max_bytes`."""
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._session.get(self._at(path), allow_redirects=False) as response,
            ):
                body = await Answer(response).whole(max_bytes)
                return Whole(response.status, body, response.headers.get("Location", ""))
        except TimeoutError as error:
            raise NoAnswer("no answer was received in time") from error
        except (CutOff, aiohttp.ClientError, OSError) as error:
            raise NoAnswer(_reason(error)) from error

    def _at(self, path: str) -> URL:
        return URL(self._base + path, encoded=True)

    async def _asked(
        self, path: str, body: bytes | Callable[[], Sequence[bytes]], silence_s: float
    ) -> aiohttp.ClientResponse:
        """Send a request and return its response, whose headers have been received.

        A server may close an idle connection while a request is in transit. So a request that was lost on a
        connection that others have used is sent once more, which is safe: requests only compute.
        Raises NoAnswer and CutOff.
        """
        use = _Use()
        try:
            return await self._sent(path, body, silence_s, use)
        except NoAnswer:
            if not use.is_reuse:
                raise
        return await self._sent(path, body, silence_s, _Use())

    async def _sent(
        self,
        path: str,
        body: bytes | Callable[[], Sequence[bytes]],
        silence_s: float,
        use: _Use,
    ) -> aiohttp.ClientResponse:
        parts = [body] if isinstance(body, bytes) else list(body())
        num_bytes = sum(map(len, parts))
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(num_bytes),
            **trace_headers.get()(),
        }
        try:
            # aiohttp's own limit begins when the body has been sent.
            async with asyncio.timeout(_CONNECT_TIMEOUT_S + num_bytes / _SLOWEST_BYTES_PER_S + silence_s):
                return await self._session.post(
                    self._at(path),
                    data=b"".join(parts) if num_bytes <= _PIECE_BYTES else _pieces(parts),
                    headers=headers,
                    allow_redirects=False,
                    timeout=aiohttp.ClientTimeout(connect=_CONNECT_TIMEOUT_S, sock_read=silence_s),
                    trace_request_ctx=use,
                )
        except aiohttp.ConnectionTimeoutError as error:
            raise NoAnswer("the connection timed out") from error
        except TimeoutError as error:
            raise CutOff("no data were received in time") from error
        except aiohttp.ClientResponseError as error:
            raise CutOff(f"the answer is not HTTP: {error.message}") from error
        except (aiohttp.ClientError, OSError) as error:
            raise NoAnswer(_reason(error)) from error

    async def _is_healthy(self) -> bool:
        try:
            return (await self.get("/health", timeout_s=_HEALTH_TIMEOUT_S)).status == 200
        except NoAnswer as error:
            if is_own(error):
                raise
            return False


async def _note_reuse(
    session: aiohttp.ClientSession,
    context: SimpleNamespace,
    parameters: aiohttp.TraceConnectionReuseconnParams,
) -> None:
    if isinstance(use := context.trace_request_ctx, _Use):
        use.is_reuse = True


def _reason(error: Exception) -> str:
    """Return what went wrong, without the server's address, which messages have already."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


async def _pieces(parts: list[bytes]) -> AsyncGenerator[memoryview, None]:
    """Yield a long body piece by piece, so that other tasks run in between."""
    for part in parts:
        for start in range(0, len(part), _PIECE_BYTES):
            yield memoryview(part)[start : start + _PIECE_BYTES]
            await asyncio.sleep(0)


def _connector(url: URL, socket: str | None) -> aiohttp.BaseConnector:
    if socket is not None:
        return aiohttp.UnixConnector(socket, limit=0, keepalive_timeout=_KEEP_ALIVE_S)
    return aiohttp.TCPConnector(
        limit=0,
        keepalive_timeout=_KEEP_ALIVE_S,
        ssl=ssl.create_default_context() if url.scheme == "https" else True,
        # The default resolver, where aiodns is installed, leaves a thread that never ends.
        resolver=aiohttp.ThreadedResolver(),
    )


def _headers(url: URL, api_key: str | None) -> dict[str, str]:
    """Return the common headers of all requests. Raises ValueError for invalid values."""
    headers = {"User-Agent": "verbatim", "Accept-Encoding": "identity"}
    if api_key is not None:
        headers["Authorization"] = f"Bearer {api_key}"
    elif url.user is not None:
        headers["Authorization"] = "Basic " + b64encode(f"{url.user}:{url.password or ''}".encode()).decode()
    if not all(value.isprintable() and value.isascii() for value in headers.values()):
        raise ValueError("the API key of the engine's server has characters that are not allowed in headers")
    return headers
