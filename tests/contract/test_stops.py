"""A real server that is asked to stop, by each signal and in the surroundings that operators have."""

import json
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from handlers.process.exit_status import ExitStatus
from tests.attack.clients.wire import connect
from tests.conftest import COMMAND, LIMITS, running_server
from tests.support.clocks.until import wait_until
from tests.support.servers.ports import free_ports

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")

LONG: dict[str, Any] = {
    "inputs": "Hello",
    "parameters": {
        "max_new_tokens": 200,
        "details": True,
        "grammar": {"type": "regex", "value": "[a-z]{900}"},
    },
}


@contextmanager
def stream(url: str) -> Iterator[Iterator[str]]:
    """Yield the events of a long stream, of which the first has come."""
    with httpx.stream("POST", f"{url}/generate_stream", json=LONG, timeout=60) as answer:
        lines = (line for line in answer.iter_lines() if line.startswith("data:"))
        next(lines)
        yield lines


HEAD: Final = b"POST /generate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
BODY: Final = json.dumps(LONG).encode()
WHOLE: Final = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
STREAM: Final = WHOLE.replace(b"/generate", b"/generate_stream")
SHORT: Final = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
# What clients send, and what they read before they leave.
STATES: Final = (
    *((b"", b""), (b"GET /he", b""), (HEAD, b""), (WHOLE[:-9], b""), (WHOLE, b""), (WHOLE * 3, b"")),
    *((STREAM, b"data:"), (SHORT, b"200 OK"), (SHORT + b"GET", b"200 OK"), (b"nonsense\r\n\r\n", b"400")),
    *((HEAD + b"X", b"408"), (WHOLE[:-9], b"408"), (HEAD + b"Content-Length: 9999999\r\n\r\n", b"413")),
    (HEAD + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", b"100 Continue"),
)


def leave_in_every_way(url: str) -> None:
    """Close, close one side, or reset connections in every state."""
    ways = {"close": [], "half-close": [socket.SHUT_WR], "close both": [socket.SHUT_RDWR], "reset": []}
    clients = [(connect(url), raw, read, way) for raw, read in STATES for way in ways]
    for client, raw, _, _ in clients:
        client.sendall(raw)
    for client, _, read, way in clients:
        received = b""
        while read not in received:
            data = client.recv(65_536)
            assert data, (received, read)
            received += data
        if way == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with suppress(OSError):  # the server has left first
            for how in ways[way]:
                client.shutdown(how)
        if way != "half-close":
            client.close()
    assert httpx.get(f"{url}/health").status_code == 200
    for client, _, _, way in clients:
        if way == "half-close":
            client.close()


def test_an_interrupt_says_what_is_waited_for_and_another_ends_the_server_at_once(tmp_path: Path) -> None:
    """`nohup` has SIGHUP ignored, and it stays so. Clients that left before have a line at most."""
    log = tmp_path / "log"
    timeouts = ("--header-timeout", "3", "--body-timeout", "3", "--graceful-termination-timeout", "77")
    with log.open("w") as file, running_server(*LIMITS, *timeouts, log=file, launcher=("nohup",)) as server:
        leave_in_every_way(server.url)
        wait_until_idle(server.url)
        server.process.send_signal(signal.SIGHUP)
        with stream(server.url):
            server.process.send_signal(signal.SIGINT)
            assert server.process.stdout is not None
            said = server.process.stdout.readline()
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(timeout=60) == ExitStatus.INTERRUPTED
    assert said == (
        "  stopping  waits up to 77 s for one running request; Ctrl-C (SIGINT) ends the server at once\n"
    )
    others = [line for line in log.read_text().splitlines() if " id=req_" not in line]
    assert others in ([], ["nohup: ignoring input"])


def wait_until_idle(url: str) -> None:
    """Return when the requests of clients that have left are over, as the line at the stop counts them."""
    wait_until(lambda: "tgi_batch_current_size 0" in httpx.get(f"{url}/tgi/metrics").text)


@pytest.mark.long
def test_a_server_without_standard_streams_drains_at_the_end_of_its_terminal() -> None:
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    closed = 'exec "$0" "$@" 0<&- 1>&- 2>&-'
    process = subprocess.Popen(["sh", "-c", closed, str(COMMAND), "serve", "--port", str(port), *LIMITS])
    try:
        wait_until_ready(url, process)
        streams = [os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)]
        assert streams == [os.devnull] * 3
        with stream(url) as events:
            process.send_signal(signal.SIGHUP)
            *_, last = events
        assert json.loads(last.removeprefix("data:"))["details"]["generated_tokens"] == 200
        assert process.wait(timeout=60) == ExitStatus.STOPPED
    finally:
        process.kill()
        process.wait()


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]") -> None:
    def answers() -> bool:
        assert process.poll() is None
        try:
            httpx.get(f"{url}/health")
        except httpx.TransportError:
            return False
        return True

    wait_until(answers, timeout_s=100)


@pytest.mark.long
def test_an_audit_log_on_a_full_disk_is_a_failure_of_the_stop(tmp_path: Path) -> None:
    """The log is an API worker's, whose failure is the server's."""
    log = tmp_path / "log"
    options = (*LIMITS, "--audit-log", "/dev/full", "--api-workers", "1")
    with log.open("w") as file, running_server(*options, log=file) as server:
        assert httpx.get(f"{server.url}/health").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=60) == ExitStatus.FAILED
    assert "the audit log lacks 1 entries, which could not be written" in log.read_text()
    assert "Traceback" not in log.read_text()
