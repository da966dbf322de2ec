"""The cores of a server's threads and of this process, once the server has bound some of its threads."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.demo_model import DEMO_MODEL
from engine.remote import build
from engine.remote.config import RemoteConfig
from engine.remote.local.thread_placement import Placement, keep_off_bound_cores
from engine.remote.remote_engine import RemoteEngine
from tests.support.scripted.token_server import answers, running_upstream

ONE_TOKEN = answers({"choices": [{"index": 0, "token_ids": [5], "finish_reason": "length"}]})

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="it needs Linux and two cores"
)

# A server: its child, a worker, has a thread that is bound to the cores named. It tells the ids of the three.
_SERVER = """
import os, subprocess, sys, threading, time
if sys.argv[1] == "worker":
    told = threading.Event()
    def compute():
        os.sched_setaffinity(0, map(int, sys.argv[2].split(",")))
        print(threading.get_native_id(), flush=True)
        told.set()
        time.sleep(600)
    threading.Thread(target=compute, daemon=True).start()
    told.wait()
    print(os.getpid(), flush=True)
    time.sleep(600)
print(os.getpid(), flush=True)
subprocess.run([sys.executable, "-c", sys.argv[3], "worker", sys.argv[2], sys.argv[3]])
"""
# In a process of its own, since the threads of this one would go on where they were moved.
_FRONT = """
import os, threading
from engine.remote.local.thread_placement import keep_off_bound_cores
threading.Thread(target=threading.Event().wait, daemon=True).start()
placement = keep_off_bound_cores([{server}], moves_server={moves_server})
tasks = map(int, os.listdir("/proc/self/task"))
print(*sorted(map(sorted, map(os.sched_getaffinity, tasks))), placement is None, sep=";")
"""


class Server:
    """The ids of a server that has started. computing: of the worker's thread that has bound itself."""

    def __init__(self, cores: set[int]) -> None:
        """cores: those to which the thread binds itself."""
        named = ",".join(map(str, cores))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SERVER, "server", named, _SERVER],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.pid, self.computing, self.worker = (int(self.process.stdout.readline()) for _ in range(3))

    def end(self) -> None:
        os.killpg(self.process.pid, 9)
        self.process.__exit__(None, None, None)


@pytest.fixture
def own() -> Iterator[set[int]]:
    """The cores of this process, which it gets back."""
    before = {int(task): os.sched_getaffinity(int(task)) for task in os.listdir("/proc/self/task")}
    yield os.sched_getaffinity(0)
    for task, cores in before.items():
        os.sched_setaffinity(task, cores)


def front(server: Server, *, moves_server: bool = True) -> list[str]:
    """Return the cores of a front's threads once it has kept off, and whether it found nothing to do."""
    source = _FRONT.format(server=server.pid, moves_server=moves_server)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return done.stdout.strip().split(";")


def test_all_but_the_bound_threads_leave_the_bound_cores(own: set[int]) -> None:
    taken, *others = sorted(own)
    server = Server({taken})
    try:
        assert front(server) == [str(others), str(others), "False"]
        assert os.sched_getaffinity(server.computing) == {taken}
        assert os.sched_getaffinity(server.worker) == os.sched_getaffinity(server.pid) == set(others)
    finally:
        server.end()


def test_a_front_that_has_not_started_the_server_moves_itself_alone(own: set[int]) -> None:
    taken, *others = sorted(own)
    server = Server({taken})
    try:
        assert front(server, moves_server=False) == [str(others), str(others), "False"]
        assert os.sched_getaffinity(server.worker) == os.sched_getaffinity(server.pid) == own
    finally:
        server.end()


async def test_a_front_finds_the_server_that_listens_on_its_machine(
    own: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, *others = sorted(own)
    server = Server({taken})
    lines: list[str] = []
    try:
        async with running_upstream(ONE_TOKEN) as upstream:
            found = {upstream.url: [server.pid]}
            monkeypatch.setattr(build, "listening_processes", found.__getitem__)
            config = RemoteConfig(model=str(DEMO_MODEL), urls=(upstream.url,))
            engine = await RemoteEngine.start(config, on_progress=lines.append)
            await engine.stop()
    finally:
        server.end()
    assert os.sched_getaffinity(0) == set(others)
    kept = ", ".join(map(str, others))
    assert f"computes on cores {taken}; this process keeps to cores {kept}" in lines[-1]


def test_cores_that_are_shared_by_threads_are_nobodys(own: set[int]) -> None:
    server = Server(own)
    try:
        assert front(server) == [str(sorted(own))] * 2 + ["True"]
        assert os.sched_getaffinity(server.worker) == own
    finally:
        server.end()


def test_nothing_is_moved_where_every_core_is_taken(own: set[int]) -> None:
    taken = min(own)
    server = Server({taken})
    try:
        os.sched_setaffinity(0, {taken})  # as in a container of one core
        assert keep_off_bound_cores([server.pid], moves_server=True) is None
        assert os.sched_getaffinity(server.worker) == own
    finally:
        server.end()


def test_the_cores_are_told(own: set[int]) -> None:
    server = Server({min(own)})
    try:
        expected = Placement(frozenset({min(own)}), frozenset(own - {min(own)}))
        assert keep_off_bound_cores([server.pid], moves_server=True) == expected
    finally:
        server.end()


def test_a_process_whose_name_is_no_text_is_no_obstacle(own: set[int], tmp_path: Path) -> None:
    """The kernel cuts a name at 15 bytes, which may be within a character."""
    name = "a" * 14 + "é"
    (tmp_path / name).symlink_to("/bin/sleep")
    server = Server({min(own)})
    try:
        with subprocess.Popen([tmp_path / name, "60"]) as named:
            assert b"\xc3)" in Path(f"/proc/{named.pid}/stat").read_bytes()
            assert keep_off_bound_cores([server.pid], moves_server=True) is not None
            named.kill()
    finally:
        server.end()


def test_a_server_that_has_ended_moves_nothing(own: set[int]) -> None:
    server = Server({min(own)})
    server.end()
    assert keep_off_bound_cores([server.pid], moves_server=True) is None
    assert os.sched_getaffinity(0) == own
