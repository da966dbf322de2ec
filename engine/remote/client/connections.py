"""The pool of connections to one server; no torch."""

import asyncio
import socket
import ssl
from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from aiohappyeyeballs import start_connection
from yarl import URL

from engine.remote.client.connection import Connection
from engine.remote.client.failures import NoAnswer
from engine.remote.client.shared_question import SharedQuestion
from engine.remote.shown_url import shown_url

_CONNECT_TIMEOUT_S: Final = 5.0
# Shorter than servers keep idle connections open; vLLM's default is 5 seconds.
_KEEP_ALIVE_S: Final = 4.0
_NAMES_KNOWN_S: Final = 10.0
_NEXT_ADDRESS_S: Final = 0.25  # RFC 8305, section 8

_Addresses: TypeAlias = Sequence[tuple[int, int, int, str, Any]]


class Connections:
    """The pool of connections to a server at a URL or at a Unix socket."""

    def __init__(self, url: str, *, api_key: str | None, timeout_s: float, path: str | None = None) -> None:
        """Create an empty pool. Raises ValueError for a key that cannot be sent in a header.

        timeout_s: maximum time without data before and within a response, in seconds.
        path: the path of the Unix socket; None for TCP.
        """
        self._url = URL(url, encoded=True)
        if self._url.host is None:
            raise ValueError(f"{shown_url(url)} has no host")
        self._prefix = self._url.raw_path.rstrip("/")
        self._fields = _fields(self._url, api_key)
        self._timeout_s = timeout_s
        self._path = path
        self._tls = ssl.create_default_context() if self._url.scheme == "https" and path is None else None
        self._every: set[Connection] = set()
        self._idle: list[Connection] = []  # the most recently used one is last
        self._expiry: asyncio.TimerHandle | None = None
        # Cached only for a short time, since DNS may be used for load balancing.
        self._addresses = SharedQuestion(self._resolved, _NAMES_KNOWN_S)
        self._is_closed = False

    def head(self, method: str, path: str, num_bytes: int | None = None) -> bytes:
        """Return the request line and headers. num_bytes: the length of the JSON body; None without one."""
        content = (
            "" if num_bytes is None else f"Content-Type: application/json\r\nContent-Length: {num_bytes}\r\n"
        )
        return f"{method} {self._prefix}{path} HTTP/1.1\r\n{self._fields}{content}\r\n".encode("latin-1")

    async def take(self, *, is_fresh: bool = False) -> Connection:
        """Return an idle or new connection, which must be returned with `give`. Raises NoAnswer.

        is_fresh: require a new connection, which the server cannot have closed as idle.
        """
        while self._idle and not is_fresh:
            connection = self._idle.pop()
            if self._can_carry(connection):
                return connection
            self._forget(connection)
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                connection = await self._connected()
        except (OSError, TimeoutError) as error:
            self._addresses.forget()
            raise NoAnswer(str(error) or "the connection timed out") from error
        self._every.add(connection)
        if self._is_closed:
            self._forget(connection)
            raise NoAnswer("the engine is stopping")
        return connection

    def give(self, connection: Connection) -> None:
        """Return a connection to the pool; close it if its response was not read completely."""
        if not connection.release() or self._is_closed:
            self._forget(connection)
            return
        self._idle.append(connection)
        if self._expiry is None:
            self._expiry = asyncio.get_running_loop().call_later(_KEEP_ALIVE_S, self._expire)

    def close(self) -> None:
        """Close all connections, including those in use."""
        self._is_closed = True
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        for connection in self._every:
            connection.close()
        self._every.clear()
        self._idle.clear()

    def _can_carry(self, idle: Connection) -> bool:
        since = idle.idle_since
        is_recent = since is not None and asyncio.get_running_loop().time() - since < _KEEP_ALIVE_S
        return idle.is_reusable and idle.is_open and is_recent

    def _forget(self, connection: Connection) -> None:
        connection.close()
        self._every.discard(connection)

    def _expire(self) -> None:
        """Close connections that have been idle for too long."""
        loop = asyncio.get_running_loop()
        usable = []
        for connection in self._idle:
            if self._can_carry(connection):
                usable.append(connection)
            else:
                self._forget(connection)
        self._idle = usable
        self._expiry = loop.call_later(_KEEP_ALIVE_S, self._expire) if usable else None

    async def _connected(self) -> Connection:
        loop = asyncio.get_running_loop()

        def new() -> Connection:
            return Connection(self._timeout_s)

        if self._path is not None:
            return (await loop.create_unix_connection(new, self._path))[1]
        found = await self._addresses.answer()
        if len(found) == 1:
            family, kind, protocol, _, address = found[0]
            connected = socket.socket(family, kind, protocol)
            connected.setblocking(False)
            try:
                await loop.sock_connect(connected, address)
            except BaseException:
                connected.close()
                raise
        else:
            connected = await start_connection(
                found, happy_eyeballs_delay=_NEXT_ADDRESS_S, interleave=1, loop=loop
            )
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        try:
            _, connection = await loop.create_connection(
                new, sock=connected, ssl=self._tls, server_hostname=self._url.raw_host if self._tls else None
            )
        except BaseException:
            connected.close()
            raise
        return connection

    async def _resolved(self) -> _Addresses:
        """Resolve the server's addresses."""
        return await asyncio.get_running_loop().getaddrinfo(
            self._url.raw_host, self._url.port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
        )


def _fields(url: URL, api_key: str | None) -> str:
    """Return the common headers of all requests. Raises ValueError for invalid values."""
    fields = {"Host": url.host_port_subcomponent or "", "Accept": "*/*", "User-Agent": "verbatim"}
    if url.user is not None:
        fields["Authorization"] = "Basic " + b64encode(f"{url.user}:{url.password or ''}".encode()).decode()
    if api_key is not None:
        fields["Authorization"] = f"Bearer {api_key}"
    for value in fields.values():
        if not value.isprintable() or not value.isascii():
            raise ValueError(
                "the API key or the URL of the engine's server has characters that are not allowed in headers"
            )
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items())
