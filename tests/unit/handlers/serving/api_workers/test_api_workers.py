"""The processes of the API are kept up: each that ends is replaced, unless no other would do better."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

import pytest

from handlers.process.exit_status import ExitStatus
from handlers.serving.api_workers import api_workers as module
from handlers.serving.api_workers.api_workers import ApiWorkers
from handlers.settings.settings import Settings
from tests.support.clocks.until import until
from tests.support.servers.processes import is_alive
from tests.unit.handlers.serving.api_workers.test_engine_process import INFO

# It writes its process id, reports that it is ready, and then does as it is asked.
PROGRAM: Final = """
import os, signal, sys, time
listener, reports, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
sys.stdin.buffer.read(1)
number = len(os.listdir(folder))
open(os.path.join(folder, str(number)), "w").write(str(os.getpid()))
{before}
os.write(reports, b"1")
os.close(reports)
{after}
while os.read(0, 4096):
    pass
"""
WAIT_S: Final = 60.0


@contextmanager
def one_listener() -> Iterator[socket.socket]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        yield listener


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ids").mkdir()
    return tmp_path / "ids"


Program = Callable[..., None]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Program:
    """Have the processes run a program with these lines before it is ready and after."""

    def use(before: str = "", after: str = "") -> None:
        text = PROGRAM.format(before=before, after=after)
        monkeypatch.setattr(
            module,
            "command",
            lambda listener, reports: [sys.executable, "-c", text, str(listener), str(reports), str(folder)],
        )

    return use


@asynccontextmanager
async def begun() -> AsyncIterator[ApiWorkers]:
    with one_listener() as listener:
        workers = ApiWorkers(Settings(), [listener])
        await workers.begin()
        try:
            yield workers
        finally:
            await workers.stop(0)


async def started(folder: Path, number: int) -> int:
    """Return the process id of the process of a number, once it is there."""
    file = folder / str(number)
    await until(lambda: file.exists() and file.read_text(), WAIT_S)
    return int(file.read_text())


async def test_lines_on_standard_output_reach_it_however_long_they_are(
    program: Program, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The audit log may go there."""
    program(after="sys.stdout.write('x' * 200_000 + ' ready at \\n'); sys.stdout.flush(); sys.exit(3)")
    async with begun() as workers:
        assert await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        await started(folder, 1)  # the one that follows
    assert capfd.readouterr().out.startswith("x" * 200_000 + " ready at \n")


async def test_one_that_says_it_is_ready_and_is_not_does_not_count(program: Program) -> None:
    program(before="print('ready at http://a', flush=True); sys.exit(3)")
    async with begun() as workers:
        assert not await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        assert workers.failure.result() == 3


async def test_one_that_ends_is_replaced_and_only_those_that_run_are_live(
    program: Program, folder: Path
) -> None:
    program()
    async with begun() as workers:
        assert await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        assert workers.live == {"1"}
        os.kill(await started(folder, 0), signal.SIGKILL)
        second = await started(folder, 1)
        assert workers.live == {"2"}
    assert not is_alive(second)
    assert not workers.failure.done()


async def test_a_replacement_that_fails_at_its_start_is_followed_by_another(
    program: Program, folder: Path
) -> None:
    program(before="if number == 1: sys.exit(1)")
    async with begun() as workers:
        assert await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        os.kill(await started(folder, 0), signal.SIGKILL)
        await started(folder, 2)
        assert not workers.failure.done()


async def test_those_that_fail_again_and_again_end_the_server_after_some_pauses(
    program: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAUSE_S", 0.01)
    program(after="sys.exit(5)")
    async with begun() as workers:
        assert await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        began_at = time.monotonic()
        assert await asyncio.wait_for(workers.failure, WAIT_S) == ExitStatus.FAILED
        assert time.monotonic() - began_at > 0.01 * (1 + 2 + 4 + 8)
    assert len(list(folder.iterdir())) == module._MAX_FAILURES


async def test_a_process_that_cannot_be_started_ends_the_server(
    program: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAUSE_S", 0.01)
    program()
    async with begun() as workers:
        assert await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        monkeypatch.setattr(module, "command", lambda listener, reports: ["/none"])
        os.kill(await started(folder, 0), signal.SIGKILL)
        assert await asyncio.wait_for(workers.failure, WAIT_S) == ExitStatus.FAILED


async def test_a_signal_to_all_processes_replaces_none_and_is_no_failure(
    program: Program, folder: Path
) -> None:
    """However late it reaches this process."""
    program()
    async with begun() as workers:
        assert await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        os.kill(await started(folder, 0), signal.SIGTERM)
        await until(lambda: not workers.live)
        workers.begin_stop()
        await asyncio.wait(workers._keeping, timeout=WAIT_S)
        assert not workers.failure.done()
    assert len(list(folder.iterdir())) == 1


async def test_a_signal_before_they_are_ready_is_no_failure(program: Program, folder: Path) -> None:
    program(before="time.sleep(60)")
    async with begun() as workers:
        waiting = asyncio.create_task(workers.ready("/s", INFO))
        os.kill(await started(folder, 0), signal.SIGTERM)
        workers.begin_stop()
        assert not await asyncio.wait_for(waiting, WAIT_S)
        await asyncio.wait(workers._keeping, timeout=WAIT_S)
        assert not workers.failure.done()


async def test_a_terminals_interrupt_is_for_the_engines_process_alone(program: Program, folder: Path) -> None:
    program()
    async with begun() as workers:
        assert await asyncio.wait_for(workers.ready("/s", INFO), WAIT_S)
        pid = await started(folder, 0)
        assert os.getsid(pid) == pid != os.getsid(0)
