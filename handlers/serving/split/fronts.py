"""The processes that answer HTTP, started and kept by the engine's process."""

import asyncio
import logging
import pickle
import socket
import subprocess
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress

from engine.info.model_info import ModelInfo
from handlers.serving.server import FLUSH_S
from handlers.serving.split.front_start import FrontStart, command
from handlers.settings.settings import Settings

_log = logging.getLogger(__name__)

_READY = b"ready at "
_TO_END_S = 0.5  # after the last connection


class Fronts:
    """One process for each socket. Another takes the place of one that ends after it was ready.

    failure: done with the exit status once a process ends before it was ready, which no other would mend.
    """

    def __init__(self, settings: Settings, listeners: Sequence[socket.socket], path: str) -> None:
        """path: of the engine's socket."""
        self._settings = settings
        self._listeners = listeners
        self._path = path
        self._starting: list[Process] = []
        self._running: dict[int, Process] = {}  # by place
        self._serving = set[str]()  # by name
        self._keeping: list[asyncio.Task[None]] = []
        self._num_started = 0
        self._is_stopping = False
        self._ready = [asyncio.Event() for _ in listeners]
        self._given_up = asyncio.Event()
        self.failure: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def is_running(self, name: str) -> bool:
        """Return whether the process of this name, by its FrontStart, has not ended."""
        return name in self._serving

    async def begin(self) -> None:
        """Start the processes, which import what they need and wait."""
        self._starting = [await self._spawn(listener) for listener in self._listeners]

    async def ready(self, model_info: ModelInfo) -> bool:
        """Have them serve, and return whether all are ready; else one has failed, or `give_up` was called."""
        for place, process in enumerate(self._starting):
            self._keeping.append(asyncio.create_task(self._keep(place, process, model_info)))
        self._starting = []
        every = asyncio.ensure_future(self._all_ready())
        given_up = asyncio.ensure_future(self._given_up.wait())
        await asyncio.wait((every, given_up, self.failure), return_when=asyncio.FIRST_COMPLETED)
        is_ready = every.done()
        every.cancel()
        given_up.cancel()
        return is_ready

    async def _all_ready(self) -> None:
        for event in self._ready:
            await event.wait()

    def give_up(self) -> None:
        """Wait no longer until all are ready."""
        self._given_up.set()

    async def stop(self, grace_s: float) -> None:
        """Have them end by themselves; after the grace period, and the time to flush, they are killed."""
        self._is_stopping = True
        processes = [*self._starting, *self._running.values()]
        for process in processes:
            with suppress(ProcessLookupError):
                process.terminate()
        waiting = asyncio.gather(*(process.wait() for process in processes))
        try:
            await asyncio.wait_for(waiting, grace_s + FLUSH_S + _TO_END_S)
        except TimeoutError:
            for process in processes:
                with suppress(ProcessLookupError):
                    process.kill()
        for task in self._keeping:
            task.cancel()

    async def _spawn(self, listener: socket.socket) -> Process:
        return await asyncio.create_subprocess_exec(
            *command(listener.fileno()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(listener.fileno(),),
        )

    async def _keep(self, place: int, process: Process, model_info: ModelInfo) -> None:
        """Serve with this process, and with one that follows it, until the server stops."""
        while True:
            self._running[place] = process
            self._num_started += 1
            name = str(self._num_started)
            self._serving.add(name)
            is_ready = await self._serve(
                place, process, FrontStart(name, self._settings, self._path, model_info)
            )
            status = await process.wait()
            self._serving.remove(name)
            if self._is_stopping:
                return
            _log.error("a process of the API, %d, ended with status %d", process.pid, status)
            if not is_ready:
                if not self.failure.done():
                    self.failure.set_result(status)
                return
            process = await self._spawn(self._listeners[place])

    async def _serve(self, place: int, process: Process, start: FrontStart) -> bool:
        """Return whether the process was ready, once its output has ended."""
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(pickle.dumps(start))
        with suppress(ConnectionError):
            await process.stdin.drain()
        is_ready = False
        async for line in process.stdout:
            if _READY in line:
                is_ready = True
                self._ready[place].set()
        return is_ready
