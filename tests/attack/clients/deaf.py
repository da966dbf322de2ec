"""Clients that ask for long streams and take nothing of them."""

import re
import socket
import time
from urllib.parse import urlsplit

from tests.attack.clients.wire import TIMEOUT_S, exchange, request_bytes

CHAT = "/openai/v1/chat/completions"
_RECEIVE_BUFFER = 4096  # bytes that the kernel takes for a client who does not read


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


def gauge(url: str, name: str) -> int:
    """One of the numbers of `/metrics`."""
    text = exchange(url, request_bytes("/tgi/metrics", headers=("Connection: close",))).body.decode()
    match = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    assert match is not None, f"no {name} in the metrics"
    return int(float(match[1]))


def wait_until(url: str, name: str, wanted: int, timeout_s: float = 90.0) -> None:
    """Wait until a number of `/metrics` is as wanted. Raises AssertionError if it never is."""
    deadline = time.monotonic() + timeout_s
    while (value := gauge(url, name)) != wanted:
        assert time.monotonic() < deadline, f"{name} is {value}, not {wanted}"
        time.sleep(0.05)
