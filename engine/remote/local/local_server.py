"""A server on this machine that the engine starts, and that ends with it; no torch."""

import asyncio
import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from engine.port.errors import ModelNotSupported
from engine.remote.local.local_port import free_port

PORT: Final = "{port}"  # in a command: a free port, which is taken

_GUARD: Final = Path(__file__).with_name("guard.py")
TERM_S: Final = 10.0  # between SIGTERM and SIGKILL; the guard waits for it, this process does not
_STOP_S: Final = 1.0
_LAST_LINES_S: Final = 0.5
_MAX_LINE_BYTES: Final = 8192
_THREAD_NAME: Final = "engine-server"


class LocalServer:
    """The running command. A guard between it and this process ends it, even if this process is killed.

    Its output is logged line by line under its name. All methods belong to one event loop.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        term_s: float = TERM_S,
        take_line: Callable[[str], object] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """Start the command.

        name: the name of the logger. term_s: seconds between SIGTERM and SIGKILL at the command's end.
        take_line: gets each line of the output in place of the logger, in a thread. pass_fds: descriptors
        that the command inherits.
        Requires a running event loop. Raises ModelNotSupported if there is no such command.
        """
        if sys.platform == "win32":
            raise ModelNotSupported("the engine's command cannot be run: this needs a POSIX system")
        if shutil.which(command[0]) is None:
            raise ModelNotSupported(f"the engine's command cannot be run: there is no {command[0]!r}")
        self._take_line = take_line or partial(logging.getLogger(name).info, "%s")
        self._loop = asyncio.get_running_loop()
        self._exit = asyncio.Event()
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_GUARD), str(term_s), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=pass_fds,
            start_new_session=True,  # a terminal's Ctrl-C is for this process, which ends the guard
        )
        self._passing_on = threading.Thread(target=self._pass_on_log, name=_THREAD_NAME, daemon=True)
        self._passing_on.start()
        threading.Thread(target=self._wait, name=_THREAD_NAME, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process from which all of the command's processes descend."""
        return self._process.pid

    async def exited(self) -> int:
        """Wait until the command has ended, and return its exit status."""
        await self._exit.wait()
        status = self._process.returncode
        assert status is not None
        return int(status)

    async def stop(self) -> None:
        """End the command; a while later it is ended by force, for which this does not wait."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await self._exit.wait()

    def _pass_on_log(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            while line := output.readline(_MAX_LINE_BYTES):
                if text := line.decode("utf-8", "replace").rstrip():
                    self._take_line(text)

    def _wait(self) -> None:
        self._process.wait()
        self._passing_on.join(_LAST_LINES_S)  # what it has left behind may hold its output open
        with suppress(RuntimeError):  # the loop has closed since
            self._loop.call_soon_threadsafe(self._exit.set)


def with_port(command: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the command with a free port in the place of PORT, and the URL of the server there."""
    port = str(free_port())
    return tuple(part.replace(PORT, port) for part in command), f"http://127.0.0.1:{port}"
