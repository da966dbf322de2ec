"""A command that is started, followed and ended, whatever it does."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from typing_extensions import override

from engine.port.errors import ModelNotSupported
from engine.remote.local.local_server import LocalServer, with_port
from tests.support.clocks.until import until
from tests.support.servers.processes import is_alive

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it needs process groups and /proc")

NAME = "tested-server"
TIMEOUT_S = 60


class Lines(logging.Handler):
    """The lines that a server has logged, in an event loop. Requires a running event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str] = asyncio.Queue()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, record.getMessage())

    async def next(self) -> str:
        return await asyncio.wait_for(self._queue.get(), TIMEOUT_S)


@pytest_asyncio.fixture
async def lines() -> AsyncIterator[Lines]:
    handler, logger = Lines(), logging.getLogger(NAME)
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(level)


def program(source: str, *, term_s: float = 10.0) -> LocalServer:
    return LocalServer(NAME, (sys.executable, "-u", "-c", source), term_s=term_s)


async def ended(server: LocalServer) -> int:
    return await asyncio.wait_for(server.exited(), TIMEOUT_S)


async def test_what_it_writes_is_logged_line_by_line_and_bounded(lines: Lines) -> None:
    server = program(
        "import sys; print('one'); print('x' * 10_000); print('two', file=sys.stderr); sys.exit(3)"
    )
    assert await lines.next() == "one"
    assert [len(await lines.next()) for _ in range(2)] == [8192, 10_000 - 8192]
    assert await lines.next() == "two"
    assert await ended(server) == 3
    await server.stop()


async def test_it_can_end_by_itself_when_it_is_stopped(lines: Lines) -> None:
    server = program(
        "import signal, sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('bye'), sys.exit(0)))\n"
        "print('ready')\n"
        "signal.pause()"
    )
    assert await lines.next() == "ready"
    await server.stop()
    assert await lines.next() == "bye"
    assert await ended(server) == 0


async def test_it_is_ended_by_force_if_it_ignores_the_signal(lines: Lines) -> None:
    server = program(
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('ready')\n"
        "while True: signal.pause()",
        term_s=0.1,
    )
    assert await lines.next() == "ready"
    await server.stop()
    assert await ended(server) == 128 + 9


@pytest.mark.parametrize("end", ["signal.pause()", "sys.exit(5)"], ids=["stopped", "ends first"])
async def test_whatever_it_has_started_ends_with_it(lines: Lines, end: str) -> None:
    child = (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('child', flush=True)\n"
        "while True: signal.pause()"
    )
    server = program(
        "import signal, subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}], stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "print(child.pid)\n" + end,
    )
    pid = int(await lines.next())
    await server.stop()
    await ended(server)
    await until(lambda: not is_alive(pid), TIMEOUT_S)


async def test_it_ends_with_its_guard_even_if_that_is_killed(lines: Lines) -> None:
    server = program("import os, signal\nprint(os.getpid())\nsignal.pause()")
    pid = int(await lines.next())
    server._process.kill()
    assert await ended(server) == -9
    await until(lambda: not is_alive(pid), TIMEOUT_S)
    await server.stop()


async def test_what_ignores_sigterm_ends_after_its_guard_was_killed(lines: Lines) -> None:
    child = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(flush=True)\nsignal.pause()"
    server = program(
        "import signal, subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}], stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "print(child.pid)\n"
        "signal.pause()",
        term_s=0.5,
    )
    pid = int(await lines.next())
    server._process.kill()
    await until(lambda: not is_alive(pid), TIMEOUT_S)
    await server.stop()


async def test_a_command_that_is_not_there_is_refused() -> None:
    with pytest.raises(ModelNotSupported, match="there is no 'no-such-command'"):
        LocalServer(NAME, ("no-such-command",))


def test_a_port_is_put_into_the_command() -> None:
    command, url = with_port(("serve", "--port={port}", "{port}"))
    port = url.rpartition(":")[2]
    assert command == ("serve", f"--port={port}", port) and int(port) > 0
