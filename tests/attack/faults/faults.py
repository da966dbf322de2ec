"""Servers with a fault in them, in processes of their own."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import IO, Any

from tests.attack.clients.wire import connect, exchange, request_bytes
from tests.attack.faults.faulty_server import HAS_BEGUN
from tests.conftest import LIMITS, Server, running_server

_LAUNCHER = (sys.executable, "-m", "tests.attack.faults.faulty_server")
_START_S = 120.0


@contextmanager
def faulty_server(fault: str, *options: str, log: IO[str] | None = None) -> Iterator[Server]:
    """`verbatim serve` with a fault of `faulty_server.FAULTS`."""
    with running_server(*LIMITS, *options, log=log, command=(*_LAUNCHER, fault)) as server:
        yield server


@contextmanager
def faulty_factory(fault: str, *, log: IO[str] | None = None) -> Iterator[Server]:
    """The same under uvicorn's own command; settings come from the environment."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*_LAUNCHER, "factory", fault, "--port", str(port)], stdout=subprocess.PIPE, stderr=log, text=True
    )
    server = Server(f"http://127.0.0.1:{port}", process)
    try:
        _wait_until_it_listens(server)
        yield server
    finally:
        process.kill()
        process.communicate(timeout=60)


def _wait_until_it_listens(server: Server) -> None:
    ends_at = time.monotonic() + _START_S
    while time.monotonic() < ends_at:
        assert server.process.poll() is None, "the server ended before it listened"
        try:
            connect(server.url).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"nothing listens at {server.url}")


class Stream:
    """An answer of server-sent events that is being read."""

    def __init__(self, url: str, path: str, body: object, headers: Mapping[str, str] | None = None) -> None:
        """Send the request, and read until the head of the answer is there."""
        lines = tuple(f"{name}: {value}" for name, value in (headers or {}).items())
        self._connection = connect(url)
        self._connection.sendall(request_bytes(path, body, headers=lines))
        self._response = HTTPResponse(self._connection)
        self._response.begin()
        self.status = self._response.status

    def next_event(self) -> Any:
        """The next event's JSON; None where the stream has ended."""
        while line := self._response.readline():
            data = line.decode().strip().removeprefix("data: ")
            if line.startswith(b"data: ") and data != "[DONE]":
                return json.loads(data)
        return None

    def last_event(self) -> Any:
        """The last event's JSON, once the stream has ended."""
        last = None
        while (event := self.next_event()) is not None:
            last = event
        return last

    def close(self) -> None:
        """Close the connection, whatever is still to come."""
        self._response.close()
        self._connection.close()


def status_of(server: Server, path: str) -> int:
    """The status of a GET."""
    return exchange(server.url, request_bytes(path)).status


def begin_fault(server: Server) -> None:
    """Let a fault of the steps begin with the next one."""
    server.process.send_signal(signal.SIGUSR1)


def wait_for_fault(server: Server) -> None:
    """Wait until a fault has begun that the server comes upon by itself."""
    assert server.process.stdout is not None
    assert any(line.strip() == HAS_BEGUN for line in server.process.stdout), "the server ended before"
