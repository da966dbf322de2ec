"""HTTP at the level of bytes, for what no client library would send."""

import json
import socket
from http.client import HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urlsplit

TIMEOUT_S = 30.0


class Answer(NamedTuple):
    """A complete HTTP response; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def connect(url: str, timeout_s: float = TIMEOUT_S) -> socket.socket:
    """Open a TCP connection to the server of `url`; every later call on it fails after `timeout_s`."""
    parts = urlsplit(url)
    assert parts.hostname is not None and parts.port is not None
    return socket.create_connection((parts.hostname, parts.port), timeout=timeout_s)


def read_answer(connection: socket.socket) -> Answer:
    """Read one response to its end. Raises ConnectionError or http.client.HTTPException if there is none."""
    response = HTTPResponse(connection)
    response.begin()
    body = response.read()
    return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)


def exchange(url: str, raw: bytes, timeout_s: float = TIMEOUT_S) -> Answer:
    """Send bytes as they are over a connection of their own, and read the response."""
    with connect(url, timeout_s) as connection:
        connection.sendall(raw)
        return read_answer(connection)


def request_bytes(
    path: str, body: object = None, *, method: str | None = None, headers: tuple[str, ...] = ()
) -> bytes:
    """A well-formed request; `body` is sent as JSON. headers: further header lines, such as "A: b"."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method or ('GET' if body is None else 'POST')} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content
