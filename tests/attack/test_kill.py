"""A server that is told to stop ends in time, whatever one of its threads does."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from handlers.process.exit_status import ExitStatus
from tests.attack.clients.deaf import ask_and_not_read, wait_until_held_up
from tests.attack.clients.wire import connect, request_bytes
from tests.attack.faults.faults import Stream, begin_fault, faulty_factory, faulty_server, wait_for_fault
from tests.conftest import Server

_GRACE_S = 1
_LIMIT_S = 3  # after the grace period
# For a busy machine. It hides nothing: a server that is not done when its watchdog wakes ends as failed.
_SLACK_S = 30

_LETTERS = {"type": "regex", "value": "[a-z]{900}"}
_LONG = {"inputs": "Hello", "parameters": {"max_new_tokens": 400, "grammar": _LETTERS}}
_SHUTDOWN = {"error": "The server is shutting down", "error_type": "unavailable"}


def _begin_stream(server: Server) -> Callable[[], None]:
    """Return what checks that the stream was ended with the contract's error."""
    stream = Stream(server.url, "/generate_stream", _LONG)
    assert stream.next_event() is not None
    begin_fault(server)

    def check() -> None:
        assert stream.last_event() == _SHUTDOWN
        stream.close()

    return check


def _begin_whole(server: Server, body: object) -> Callable[[], None]:
    connection = connect(server.url)
    connection.sendall(request_bytes("/generate", body))
    wait_for_fault(server)
    return connection.close


def _begin_compilation(server: Server) -> Callable[[], None]:
    return _begin_whole(server, _LONG)


def _begin_encoding(server: Server) -> Callable[[], None]:
    return _begin_whole(server, {"inputs": "a b " * 1000})


def _stop_reading(server: Server) -> Callable[[], None]:
    """A client of a long answer with many log-probabilities that reads no byte of it."""
    connection = ask_and_not_read(server.url, max_tokens=400, n=8)
    wait_until_held_up(connection)
    return connection.close


def _end(server: Server, asked: signal.Signals, grace_s: float) -> float:
    """Seconds from the signal until the process has ended."""
    started = time.monotonic()
    server.process.send_signal(asked)
    server.process.wait(timeout=grace_s + _LIMIT_S + _SLACK_S)
    return time.monotonic() - started


CASES = [
    ("step_without_end", _begin_stream, ExitStatus.FAILED),
    ("compile_without_end", _begin_compilation, ExitStatus.FAILED),
    ("tokenizer_without_end", _begin_encoding, ExitStatus.FAILED),
    ("healthy", _stop_reading, ExitStatus.STOPPED),
]


@pytest.mark.parametrize(("fault", "begin", "status"), CASES, ids=[name for name, *_ in CASES])
@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_under_each_fault(
    fault: str,
    begin: Callable[[Server], Callable[[], None]],
    status: int,
    asked: signal.Signals,
    is_whole: bool,
) -> None:
    if asked is signal.SIGINT and not is_whole:
        pytest.skip("`make attack` sends SIGINT too")
    with faulty_server(fault, "--graceful-termination-timeout", str(_GRACE_S)) as server:
        check = begin(server)
        assert _end(server, asked, _GRACE_S) < _GRACE_S + _LIMIT_S + _SLACK_S
        assert server.process.returncode == status
        check()


def test_a_thread_that_keeps_python_from_running_does_not_keep_the_process(tmp_path: Path) -> None:
    """The watchdog is in C, needs no lock, and says where each thread is."""
    grace_s = 5
    log, options = tmp_path / "log", ("--graceful-termination-timeout", str(grace_s))
    with log.open("w") as file, faulty_server("step_holding_the_lock", *options, log=file) as server:
        stream = Stream(server.url, "/generate_stream", _LONG)
        assert stream.next_event() is not None
        begin_fault(server)
        _end(server, signal.SIGTERM, grace_s)
        assert server.process.returncode == ExitStatus.FAILED
        stream.close()
    assert "Timeout" in log.read_text()
    assert "in hold" in log.read_text()


@pytest.mark.parametrize("fault", ["step_without_end", "tokenizer_without_end"])
def test_under_another_server_a_signal_ends_the_process_too(fault: str, is_whole: bool) -> None:
    if fault != "step_without_end" and not is_whole:
        pytest.skip("`make attack` tries each fault")
    begin = dict((name, begin) for name, begin, _ in CASES)[fault]
    settings = {"VERBATIM_GRACEFUL_TERMINATION_TIMEOUT": str(_GRACE_S), "VERBATIM_MAX_TOTAL_TOKENS": "512"}
    with patch.dict(os.environ, settings), faulty_factory(fault) as server:
        check = begin(server)
        _end(server, signal.SIGTERM, _GRACE_S)
        assert server.process.returncode == ExitStatus.FAILED
        check()
