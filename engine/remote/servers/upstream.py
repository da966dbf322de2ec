"""The HTTP client of one server that computes tokens; no torch."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from typing import Final, NamedTuple

import aiohttp
from typing_extensions import override

from engine.remote.sse import EventSplitter, EventTooLong

_MAX_EVENT_BYTES: Final = 8 * 2**20  # a prompt of 32,000 tokens with the log-probabilities of five each
_MAX_ANSWER_BYTES: Final = 64 * 2**20
_MAX_ERROR_BYTES: Final = 65_536
_MAX_WHOLE_BYTES: Final = 2**20  # of a body that is sent at once
_CONNECT_TIMEOUT_S: Final = 5.0
# Less than servers keep idle connections open: vLLM 5 seconds by default.
_KEEP_ALIVE_S: Final = 4.0
_REST_TIMEOUT_S: Final = 1.0


class NoAnswer(Exception):
    """The server refused the connection, or closed it before it answered."""


class CutOff(Exception):
    """The answer broke off, is too long, or nothing came for too long; the message says which."""


class BadStatus(Exception):
    """The server answered with an error. body: as far as it can be read."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.body = body


class Whole(NamedTuple):
    """An answer that is read whole."""

    status: int
    body: bytes


class Answer(ABC):
    """An answer whose headers have arrived."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    @abstractmethod
    async def next(self) -> list[bytes] | None:
        """Wait for bytes, and return the data that they complete; None at the end. Raises CutOff."""

    async def finish(self) -> None:
        """Read what follows the last token, so that the connection can be used again."""
        with suppress(CutOff, TimeoutError):
            async with asyncio.timeout(_REST_TIMEOUT_S):
                while await self.next() is not None:
                    pass


class StreamedAnswer(Answer):
    """A stream of server-sent events."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        super().__init__(response)
        self._splitter = EventSplitter(_MAX_EVENT_BYTES)

    @override
    async def next(self) -> list[bytes] | None:
        try:
            chunk = await self._response.content.readany()
            return self._splitter.feed(chunk) if chunk else None
        except EventTooLong as error:
            raise CutOff("an event is too long") from error
        except (aiohttp.ClientError, OSError) as error:
            raise _cut_off(error) from error


class WholeAnswer(Answer):
    """One piece of data."""

    _is_read = False

    @override
    async def next(self) -> list[bytes] | None:
        if self._is_read:
            return None
        self._is_read = True
        try:
            return [await _read(self._response, _MAX_ANSWER_BYTES)]
        except (aiohttp.ClientError, OSError) as error:
            raise _cut_off(error) from error


def _cut_off(error: Exception) -> CutOff:
    if isinstance(error, TimeoutError):
        return CutOff("nothing came for too long")
    return CutOff("the connection was cut")


class Upstream:
    """One server. num_outstanding: tokens, of prompts and yet to come, of the requests that it computes.

    is_healthy: whether it is to get requests, if there are others.
    """

    def __init__(self, url: str, *, api_key: str | None, timeout_s: float, socket: str | None = None) -> None:
        """url: without a path. timeout_s: the longest silence of an answer. socket: the path of the Unix
        socket at which the server is, if it is there. Requires a running event loop.
        """
        self.url = url.rstrip("/")
        self.num_outstanding = 0
        self.is_healthy = True
        self._session = aiohttp.ClientSession(
            connector=_connector(socket),
            # A balancer's cookie would keep all requests of this front on one of its servers.
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S, sock_read=timeout_s),
            headers={} if api_key is None else {"Authorization": f"Bearer {api_key}"},
        )

    async def close(self) -> None:
        await self._session.close()

    @asynccontextmanager
    async def post(self, path: str, body: bytes, *, is_streamed: bool) -> AsyncIterator[Answer]:
        """Send JSON that asks for a stream or a whole answer, and yield the answer.

        Leaving the block before the answer's end closes the connection.
        Raises NoAnswer, BadStatus, or CutOff if nothing comes for too long.
        """
        try:
            response = await self._session.post(
                self.url + path, data=_sent(body), headers={"Content-Type": "application/json"}
            )
        except aiohttp.ConnectionTimeoutError as error:
            raise NoAnswer from error
        except TimeoutError as error:
            raise CutOff("nothing came for too long") from error
        except (aiohttp.ClientError, OSError) as error:
            raise NoAnswer from error
        try:
            if response.status != 200:
                raise BadStatus(response.status, await _error_body(response))
            yield StreamedAnswer(response) if is_streamed else WholeAnswer(response)
        finally:
            response.close()  # or returns the connection to the pool, if the answer was read to its end

    async def get(self, path: str, *, timeout_s: float) -> Whole:
        """Return a small answer of any status. Raises NoAnswer."""
        try:
            async with asyncio.timeout(timeout_s), self._session.get(self.url + path) as response:
                return Whole(response.status, await _read(response, _MAX_ANSWER_BYTES))
        except (CutOff, TimeoutError, aiohttp.ClientError, OSError) as error:
            raise NoAnswer from error


def _sent(body: bytes) -> bytes | BytesIO:
    """Return a body as aiohttp sends it: a long one piece by piece, so that other streams go on."""
    return body if len(body) <= _MAX_WHOLE_BYTES else BytesIO(body)


def _connector(socket: str | None) -> aiohttp.BaseConnector:
    if socket is not None:
        return aiohttp.UnixConnector(socket, limit=0, keepalive_timeout=_KEEP_ALIVE_S)
    # The default resolver, where aiodns is installed, leaves a thread that never ends.
    return aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S, resolver=aiohttp.ThreadedResolver())


async def _read(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    """Return the body. Raises CutOff if it is longer, and what aiohttp raises."""
    pieces = []
    num_left = max_bytes
    while piece := await response.content.readany():
        pieces.append(piece)
        num_left -= len(piece)
        if num_left < 0:
            raise CutOff("the answer is too long")
    return b"".join(pieces)


async def _error_body(response: aiohttp.ClientResponse) -> bytes:
    """Return the body of an error; nothing where it is too long or cannot be read."""
    try:
        return await _read(response, _MAX_ERROR_BYTES)
    except (CutOff, TimeoutError, aiohttp.ClientError, OSError):
        return b""
