"""Processes are bounded whatever they do, fail alone, are no more than may be, and end with their client."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.bounded_process.client import (
    MAX_STARTS,
    BoundedProcess,
    Cancelled,
    ChildEnded,
)
from engine.bounded_process.limits import ProcessLimits
from engine.bounded_process.messages import End, receive, send
from engine.port.attempt import Attempt
from engine.port.errors import EngineBusy
from tests.support.clocks.until import wait_until
from tests.support.servers.processes import children, is_alive
from tests.unit.engine.bounded_process.program import MODULE

LIMITS = ProcessLimits(max_bytes=2**26, processor_s=30.0, timeout_s=60.0)
MAX_CHILDREN = 3


def encode(knowledge: Any) -> bytes:
    return bytes(knowledge)


@pytest.fixture(scope="module")
def shared_program() -> Iterator[BoundedProcess]:
    program = BoundedProcess(MODULE, name="deeds", max_children=MAX_CHILDREN, encode=encode)
    yield program
    program.stop()


@pytest.fixture
def program(shared_program: BoundedProcess) -> BoundedProcess:
    """Return the program that most tests share, once it has no child: one takes a moment to end."""
    shared_program.start()
    wait_until(lambda: not running(shared_program))
    return shared_program


def exchange(deed: str, channel: socket.socket) -> str:
    send(channel, deed.encode())
    return receive(channel, 2**16).decode()


def do(program: BoundedProcess, deed: str, limits: ProcessLimits = LIMITS, **options: Any) -> str:
    return program.run(partial(exchange, deed), limits, **options)


def with_limits(**fields: Any) -> ProcessLimits:
    known = {name: getattr(LIMITS, name) for name in LIMITS.__struct_fields__}
    return ProcessLimits(**known | fields)


def end_of(program: BoundedProcess, deed: str, limits: ProcessLimits = LIMITS) -> End:
    with pytest.raises(ChildEnded) as ended:
        do(program, deed, limits)
    return ended.value.end


def running(program: BoundedProcess) -> list[int]:
    return [] if program.pid is None else children(program.pid)


def test_a_child_answers_its_task(program: BoundedProcess) -> None:
    assert do(program, "echo hello") == "hello"


def test_what_children_know_is_sent_once(program: BoundedProcess) -> None:
    sent: list[bytes] = []

    def counted(knowledge: Any) -> bytes:
        sent.append(knowledge)
        return bytes(knowledge)

    learning = BoundedProcess(MODULE, name="deeds", max_children=2, encode=counted)
    first, second = bytearray(b"first"), bytearray(b"second")
    try:
        assert [do(learning, "know", knowledge=each) for each in (first, second, first)] == [
            *("first", "second", "first")
        ]
        assert do(learning, "know") == "nothing"
    finally:
        learning.stop()
    assert sent == [first, second]


def test_each_limit_ends_a_child_and_nothing_else(program: BoundedProcess) -> None:
    pid = program.pid
    assert end_of(program, "compute", with_limits(processor_s=0.2)) is End.PROCESSOR_TIME
    started = time.monotonic()
    assert end_of(program, "sleep 600", with_limits(timeout_s=0.3)) is End.WALL_TIME
    assert time.monotonic() - started < 20
    assert end_of(program, f"allocate {2**27}") is End.MEMORY
    assert do(program, f"allocate {2**24}") == str(2**24)
    assert program.pid == pid


def test_a_stopped_child_is_ended_in_time(program: BoundedProcess) -> None:
    ends: list[End] = []
    thread = threading.Thread(
        target=lambda: ends.append(end_of(program, "sleep 600", with_limits(timeout_s=2.0)))
    )
    thread.start()
    wait_until(lambda: running(program))
    (child,) = running(program)
    os.kill(child, signal.SIGSTOP)
    thread.join(30)
    assert ends == [End.WALL_TIME]
    assert not is_alive(child)


@pytest.mark.parametrize("deed", ["abort", "kill", "say_nothing", "close", "boast"])
def test_a_child_without_a_proper_answer_fails_alone(program: BoundedProcess, deed: str) -> None:
    pid = program.pid
    assert end_of(program, deed) is End.CRASH
    assert do(program, "echo next") == "next"
    wait_until(lambda: not running(program))
    assert program.pid == pid


def test_a_child_that_stays_after_its_answer_is_ended(program: BoundedProcess) -> None:
    assert do(program, "linger") == "here"
    wait_until(lambda: not running(program))


def test_a_child_has_its_channel_and_nothing_else(program: BoundedProcess, tmp_path: Path) -> None:
    # The last is the directory that is listed.
    assert do(program, "descriptors") == "0 1 2 3 4"
    assert "NoNewPrivs:\t1" in do(program, "status")
    assert do(program, f"write {tmp_path / 'new'}") == f"OSError {errno.EFBIG}"
    closed = with_limits(opens_files=False)
    for deed in ("read /etc/passwd", f"write {tmp_path / 'newer'}", "connect"):
        assert do(program, deed, closed) == f"OSError {errno.EMFILE}"
    assert not (tmp_path / "newer").exists()


def test_no_more_children_run_than_may(program: BoundedProcess) -> None:
    most = 0
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(do, program, "sleep 0.1") for _ in range(20)]
        while not all(each.done() for each in asked):
            most = max(most, len(running(program)), program.stats().num_children)
    assert [each.result() for each in asked] == ["awake"] * 20
    assert 1 < most <= MAX_CHILDREN


def test_who_finds_no_place_in_time_is_told_so(program: BoundedProcess) -> None:
    attempts = [Attempt() for _ in range(MAX_CHILDREN)]
    with ThreadPoolExecutor(MAX_CHILDREN) as pool:
        asked = [pool.submit(do, program, "sleep 600", attempt=attempt) for attempt in attempts]
        wait_until(lambda: len(running(program)) == MAX_CHILDREN)
        with pytest.raises(EngineBusy, match="no place for deeds"):
            do(program, "echo", with_limits(timeout_s=0.1))
        for attempt in attempts:
            attempt.cancel()
    assert [type(each.exception()) for each in asked] == [Cancelled] * MAX_CHILDREN


def test_a_task_that_is_called_off_ends(program: BoundedProcess) -> None:
    attempt = Attempt()
    ended: list[type[Exception]] = []

    def sleep() -> None:
        try:
            do(program, "sleep 600", attempt=attempt)
        except Cancelled as error:
            ended.append(type(error))

    thread = threading.Thread(target=sleep)
    thread.start()
    wait_until(lambda: running(program))
    attempt.cancel()
    thread.join(30)
    assert ended == [Cancelled]
    wait_until(lambda: not running(program))
    with pytest.raises(Cancelled):
        do(program, "sleep 600", attempt=attempt)


def test_a_task_outlives_the_program_that_forked_its_child(program: BoundedProcess) -> None:
    results: list[str] = []
    thread = threading.Thread(target=lambda: results.append(do(program, "sleep 1")))
    thread.start()
    wait_until(lambda: running(program))
    first = program.pid
    assert first is not None
    (child,) = running(program)
    os.kill(first, signal.SIGKILL)
    thread.join(60)
    assert results == ["awake"]
    assert program.pid != first
    assert not is_alive(child)


def test_a_program_that_always_dies_is_given_up() -> None:
    broken = BoundedProcess("tests.unit.engine.bounded_process.missing", name="deeds", max_children=1)
    with pytest.raises(EngineBusy, match="the process for deeds has died"):
        do(broken, "echo")
    assert broken.stats().num_starts == MAX_STARTS
    with pytest.raises(EngineBusy):  # the place was given back
        do(broken, "echo")


def test_a_program_that_does_not_answer_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.bounded_process.connection._SLACK_S", 0.2)
    monkeypatch.setattr("engine.bounded_process.connection._END_S", 0.5)
    program = BoundedProcess(MODULE, name="deeds", max_children=1)
    try:
        do(program, "echo")
        wait_until(lambda: program.stats().num_children == 0)
        first = program.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        assert do(program, "echo again", with_limits(timeout_s=2.0)) == "again"
        assert program.pid != first
        wait_until(lambda: not is_alive(first))
    finally:
        program.stop()


def test_a_program_that_reports_no_end_keeps_no_place_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.bounded_process.connection._END_S", 0.2)
    program = BoundedProcess(MODULE, name="deeds", max_children=1)
    try:
        attempt = Attempt()
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(do, program, "sleep 600", attempt=attempt)
            wait_until(lambda: running(program))
            first = program.pid
            assert first is not None
            os.kill(first, signal.SIGSTOP)
            attempt.cancel()
            with pytest.raises(Cancelled):
                asked.result(30)
        assert do(program, "echo again") == "again"
        assert program.pid != first
    finally:
        program.stop()


def test_ends_are_counted() -> None:
    program = BoundedProcess(MODULE, name="deeds", max_children=1)
    try:
        do(program, "echo")
        end_of(program, "abort")
        stats = program.stats()
        assert (stats.name, stats.num_starts) == ("deeds", 1)
        assert {name: count for name, count in stats.ends.items() if count} == {"done": 1, "crash": 1}
        wait_until(lambda: program.stats().num_children == 0)
    finally:
        program.stop()


def test_nothing_outlives_the_process_that_serves() -> None:
    """Killed so that it can clean nothing up, while a child works."""
    source = (
        "import threading, time\n"
        "from tests.unit.engine.bounded_process.test_client import MODULE, BoundedProcess, do\n"
        "program = BoundedProcess(MODULE, name='deeds', max_children=1)\n"
        "threading.Thread(target=do, args=(program, 'sleep 600'), daemon=True).start()\n"
        "while program.pid is None: time.sleep(0.01)\n"
        "print(program.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as served:
        try:
            assert served.stdout is not None
            pid = int(served.stdout.readline())
            wait_until(lambda: children(pid))
            (child,) = children(pid)
        finally:
            served.kill()
    wait_until(lambda: not is_alive(pid) and not is_alive(child))
