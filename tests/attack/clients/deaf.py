"""Clients that ask for long streams and take nothing of them."""

import re
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.attack.clients.wire import TIMEOUT_S, exchange, request_bytes
from tests.support.clocks.until import wait_until

CHAT = "/openai/v1/chat/completions"
_RECEIVE_BUFFER = 4096  # bytes that the kernel takes for a client who does not read
_MUCH = 16 * _RECEIVE_BUFFER  # so much is never on its way to a client who reads


def ask_and_not_read(url: str, **fields: object) -> socket.socket:
    """Ask for a streamed chat with all log-probabilities, over a connection that takes next to nothing."""
    parts = urlsplit(url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    connection.settimeout(TIMEOUT_S)
    connection.connect((parts.hostname, parts.port))
    connection.sendall(request_bytes(CHAT, chat(stream=True, logprobs=True, top_logprobs=20, **fields)))
    return connection


def chat(**fields: object) -> dict[str, object]:
    """A conversation whose answer is as long as it may be."""
    return {
        "model": "verbatim-demo",
        "messages": [{"role": "user", "content": "Hello"}],
        "ignore_eos": True,
        **fields,
    }


def wait_until_held_up(connection: socket.socket) -> None:
    """Wait until the kernel holds much that the server has written and that the client does not take."""
    wait_until(lambda: _num_unsent(connection) >= _MUCH, TIMEOUT_S)


def _num_unsent(connection: socket.socket) -> int:
    """Return how many bytes the server's end of a connection holds, as /proc/net/tcp has it."""
    ends = (connection.getpeername()[1], connection.getsockname()[1])  # ports: the server's, the client's
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, _, queues = line.split()[:5]
        if (_port(local), _port(remote)) == ends:
            return int(queues.split(":")[0], 16)
    raise AssertionError("the server has closed the connection")


def _port(address: str) -> int:
    return int(address.split(":")[1], 16)


def gauge(url: str, name: str) -> int:
    """One of the numbers of `/metrics`."""
    text = exchange(url, request_bytes("/tgi/metrics", headers=("Connection: close",))).body.decode()
    match = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    assert match is not None, f"no {name} in the metrics"
    return int(float(match[1]))


def wait_for_gauge(url: str, name: str, wanted: int, timeout_s: float = 90.0) -> None:
    """Wait until a number of `/metrics` is as wanted. Raises AssertionError if it never is."""
    deadline = time.monotonic() + timeout_s
    while (value := gauge(url, name)) != wanted:
        assert time.monotonic() < deadline, f"{name} is {value}, not {wanted}"
        time.sleep(0.05)
