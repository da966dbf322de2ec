"""Attacks before a request is complete: endless, huge, slow, silent, ambiguous."""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path

import httpx
import pytest

from tests.attack.clients.pulse import pulse
from tests.attack.clients.wire import Answer, connect, exchange, read_answer, request_bytes
from tests.conftest import LIMITS, Server, running_server
from tests.soak.usage import usage
from tests.support.clocks.until import wait_until
from tools.bench.processor_time import process_s

pytestmark = pytest.mark.measured

GET = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = b"POST /generate HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
MIB = 2**20

# The slowest answer of /health was 11-18 s under one endless header value.
MOST_S = 1.0
MOST_GROWTH_BYTES = 64 * MIB

ENDLESS = {
    "url": (b"GET /", b"a" * MIB),
    "header value": (GET + b"X: ", b"a" * MIB),
    "header name": (GET + b"X", b"a" * MIB),
    "short headers": (GET, b"a: b\r\n" * (MIB // 6)),
    "trailers": (CHUNKED + b"0\r\n", b"a: b\r\n" * (MIB // 6)),
    "trailer value": (CHUNKED + b"0\r\nX: ", b"a" * MIB),
    "chunk extension": (CHUNKED + b"1;", b"a" * MIB),
    "blank lines": (b"", b"\r\n" * (MIB // 2)),
    "pipelined requests": (b"", (GET + b"\r\n") * (MIB // len(GET))),
    "body after its answer": (
        b"POST /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999999\r\n\r\n",
        b"a" * MIB,
    ),
    "body in chunks of a byte": (
        CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Type: application/json\r\n\r\n"),
        b"1\r\na\r\n" * (MIB // 6),
    ),
}


@pytest.mark.parametrize(("begun", "piece"), ENDLESS.values(), ids=ENDLESS.keys())
def test_what_never_ends_is_cut_off_and_slows_nobody(
    begun: bytes, piece: bytes, attacked: Server, is_whole: bool
) -> None:
    before = usage(attacked.process.pid).resident_bytes
    with pulse(attacked.url) as taken:
        until = time.monotonic() + (20.0 if is_whole else 1.0)
        num_sent = [send_until_cut(attacked.url, begun, piece)]
        while time.monotonic() < until:
            num_sent.append(send_until_cut(attacked.url, begun, piece))
    assert max(num_sent) < 60 * MIB, "the connection is closed"
    assert taken.slowest_s < MOST_S
    assert usage(attacked.process.pid).resident_bytes - before < MOST_GROWTH_BYTES


def send_until_cut(url: str, begun: bytes, piece: bytes) -> int:
    """Send a piece again and again, and read nothing, until the server closes; returns bytes sent."""
    num_sent = 0
    with connect(url, 10.0) as connection, suppress(ConnectionError):
        connection.sendall(begun)
        while num_sent < 60 * MIB:
            with suppress(TimeoutError):
                connection.sendall(piece)
            num_sent += len(piece)
    return num_sent


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"GET /" + b"a" * 16_384 + b" HTTP/1.1\r\n\r\n", 414),
        (GET + b"X: " + b"a" * 65_536 + b"\r\n\r\n", 431),
        (GET + b"a: b\r\n" * 100 + b"\r\n", 431),
        (b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        (b"GET http://127.0.0.1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 405),
        (b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (b"GET /%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        (b"GET // HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        (b"GET ? HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (GET + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (GET + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (GET + b"Host: other\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        (b"GET http://127.0.0.1/health HTTP/1.1\r\n\r\n", 400),
        (b"GET /health HTTP/2.0\r\nHost: 127.0.0.1\r\n\r\n", 505),
        (GET + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (GET.replace(b"\r\n", b"\n") + b"\n", 400),
    ],
)
def test_an_odd_request_is_answered_and_none_by_a_500(raw: bytes, status: int, attacked: Server) -> None:
    answer = exchange(attacked.url, raw)
    assert answer.status == status
    assert answer.json()["error"]


@pytest.mark.parametrize("upgrade", ["h2c", "websocket"])
def test_a_body_is_read_whatever_upgrade_is_asked_for(upgrade: str, attacked: Server) -> None:
    headers = ("Connection: Upgrade, HTTP2-Settings", f"Upgrade: {upgrade}", "HTTP2-Settings: AAMAAABk")
    answer = exchange(attacked.url, request_bytes("/generate", {"inputs": "Hello"}, headers=headers))
    assert answer.status == 200
    assert answer.json()["generated_text"]


@pytest.mark.parametrize("path", ["/generate", "/generate_stream"])
@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
def test_a_client_that_closes_its_own_side_gets_its_whole_answer(
    path: str, version: bytes, attacked: Server
) -> None:
    body = {"inputs": "Hello", "parameters": {"max_new_tokens": 200}}
    request = request_bytes(path, body).replace(b"HTTP/1.1", b"HTTP/" + version, 1)
    answers = []
    for closes in (False, True):
        with connect(attacked.url) as connection:
            connection.sendall(request)
            if closes:
                connection.shutdown(socket.SHUT_WR)
            answers.append(read_answer(connection))
    whole, answer = answers
    assert (answer.status, answer.body) == (200, whole.body)


# Slow and silent clients, of a server with little patience and few descriptors

HASTY = (
    *("--header-timeout", "1", "--body-timeout", "1"),
    *("--keep-alive-timeout", "1", "--client-timeout", "1"),
)
FEW_DESCRIPTORS = (
    sys.executable,
    "-c",
    "import os, resource, sys;"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64));"
    "os.execv(sys.argv[1], sys.argv[1:])",
)


@pytest.fixture(scope="module")
def hasty() -> Iterator[Server]:
    with running_server(*LIMITS, *HASTY) as server:
        yield server


@contextmanager
def held_open(url: str, num_connections: int, begun: bytes) -> Iterator[list[socket.socket]]:
    """Connections that send so much and no more."""
    with ExitStack() as stack:
        connections = []
        for _ in range(num_connections):
            connection = stack.enter_context(connect(url))
            connection.sendall(begun)
            connections.append(connection)
        yield connections


def test_half_requests_end(hasty: Server, is_whole: bool) -> None:
    with held_open(hasty.url, 4_000 if is_whole else 400, GET + b"X: ") as connections:
        assert exchange(hasty.url, GET + b"\r\n").status == 200
        for connection in connections:
            assert read_answer(connection).status == 408
            assert connection.recv(1) == b""


@pytest.mark.parametrize("is_begun", [True, False])
def test_silent_connections_end(is_begun: bool, hasty: Server) -> None:
    with held_open(hasty.url, 100, GET + b"\r\n" if is_begun else b"") as connections:
        for connection in connections:
            if is_begun:
                assert read_answer(connection).status == 200
            assert connection.recv(1) == b""


def test_a_slow_body_ends(hasty: Server) -> None:
    head = b"POST /generate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with connect(hasty.url) as connection:
        connection.sendall(head + b"Content-Length: 1000000\r\n\r\n")
        connection.settimeout(0.1)
        answer = drip(connection, b" " * 10)
    assert (answer.status, answer.json()) == (408, {"error": "The request's body came too slowly"})


def drip(connection: socket.socket, piece: bytes) -> Answer:
    """Send a piece each 100 ms until there is an answer."""
    for _ in range(200):
        connection.sendall(piece)
        try:
            connection.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            continue
        return read_answer(connection)
    raise AssertionError("the server reads a slow body for ever")


def test_a_client_that_does_not_read_is_cut_off(hasty: Server) -> None:
    document = b"GET /openai/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with connect(hasty.url) as connection:
        port = connection.getsockname()[1]
        connection.sendall(document * 30)  # together far more than the kernel buffers
        wait_until(lambda: has_socket_to(port))
        wait_until(lambda: not has_socket_to(port))


def has_socket_to(port: int) -> bool:
    """Return whether a process holds the other end of a connection from this port of this machine."""
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        _, _, remote, *_, inode = line.split()[:10]
        if int(remote.rpartition(":")[2], 16) == port and inode != "0":  # 0: closed, with bytes to send
            return True
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of descriptors")
def test_with_few_descriptors_silent_connections_lock_nobody_out() -> None:
    with (
        running_server(*LIMITS, launcher=FEW_DESCRIPTORS) as server,
        held_open(server.url, 100, GET),
        held_open(server.url, 100, b""),
    ):
        for _ in range(20):
            assert exchange(server.url, GET + b"\r\n").status == 200
        before_s = process_s(server.process.pid)
        time.sleep(1.0)
        assert process_s(server.process.pid) - before_s < 0.5, "nothing spins"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of descriptors")
@pytest.mark.parametrize("served_by", ["verbatim", "uvicorn"])
def test_with_few_descriptors_idle_clients_leave_sockets_to_the_engines_servers(served_by: str) -> None:
    """A front has a connection to its server for each sequence."""
    command = shlex.join((sys.executable, "-m", "tests.support.scripted.token_server_program", "{port}"))
    patience = {"--header-timeout": "300"}  # or else idle clients would make room in time
    options = {"--engine": "vllm", "--engine-command": command, **patience}
    body = {"model": "verbatim-demo", "prompt": "Hi", "max_tokens": 101, "stream": True, "n": 20}
    with (
        under_uvicorn(options, launcher=FEW_DESCRIPTORS)
        if served_by == "uvicorn"
        else running_server(*chain.from_iterable(options.items()), launcher=FEW_DESCRIPTORS) as server,
        held_open(server.url, 45, b"") as idle,
        httpx.stream("POST", f"{server.url}/v1/completions", json=body, timeout=60) as answer,
    ):
        assert answer.status_code == 200
        begun: set[int] = set()
        for line in (line for line in answer.iter_lines() if line.startswith("data: ")):
            begun.update(choice["index"] for choice in json.loads(line.removeprefix("data: "))["choices"])
            if len(begun) == 20:
                break
        assert len(begun) == 20
        assert sum(map(is_open, idle)) <= (64 - 16) // 2, "half of what is left is for the other server"


def is_open(connection: socket.socket) -> bool:
    """Return whether the server has not closed a connection over which it sends nothing."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


@contextmanager
def under_uvicorn(options: Mapping[str, str], launcher: tuple[str, ...]) -> Iterator[Server]:
    """`uvicorn handlers.app:create_app` with Verbatim's connections. options: given as variables."""
    variables = {f"VERBATIM_{name[2:].replace('-', '_').upper()}": value for name, value in options.items()}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = (
        "handlers.app:create_app",
        "--factory",
        "--http",
        "handlers.access.connections.environment:Protocol",
    )
    process = subprocess.Popen(
        [*launcher, sys.executable, "-m", "uvicorn", *arguments, "--port", str(port)],
        env=os.environ | variables,
        text=True,
    )
    server = Server(f"http://127.0.0.1:{port}", process)
    try:
        wait_until(lambda: process.poll() is not None or answers(server))
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_without_descriptors_the_server_goes_on_and_takes_no_processor_time(is_whole: bool) -> None:
    """A cap that is set too high leaves none: new connections are reset until others end."""
    if not is_whole:
        pytest.skip("a server of its own; the whole form tries it")
    options = (*LIMITS, *HASTY, "--max-connections", "1000")
    with running_server(*options, launcher=FEW_DESCRIPTORS) as server, held_open(server.url, 100, b""):
        before_s = process_s(server.process.pid)
        time.sleep(0.5)
        assert process_s(server.process.pid) - before_s < 0.25
        wait_until(lambda: answers(server))


def answers(server: Server) -> bool:
    try:
        return exchange(server.url, GET + b"\r\n").status == 200
    except ConnectionError:
        return False
