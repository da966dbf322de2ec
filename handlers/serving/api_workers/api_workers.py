"""The API workers, which are the processes that answer HTTP, started and kept by the engine's process."""

import asyncio
import logging
import os
import pickle
import signal
import socket
import subprocess
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from engine.port.info.model_info import ModelInfo
from handlers.process.exit_status import ExitStatus
from handlers.serving.api_workers.api_worker_start import ApiWorkerStart, command
from handlers.serving.draining_server import FLUSH_S
from handlers.settings.settings import Settings

_log = logging.getLogger(__name__)

_TO_END_S: Final = 0.5  # after the last connection
# A process that ends sooner after it was ready has failed, and the next one may fail likewise.
_FAILS_WITHIN_S: Final = 10.0
_MAX_FAILURES: Final = 6  # in a row, which take some seconds: its place accepts connections meanwhile
_PAUSE_S: Final = 0.25  # before the third start in a row, doubled before each that follows
# A signal to stop may be for all processes, and reach this one last.
_SIGNAL_S: Final = 1.0
_STOPPED: Final = frozenset(
    {0, *(status for sent in (signal.SIGTERM, signal.SIGINT) for status in (128 + sent, -sent))}
)


class ApiWorkers:
    """One process for each socket. Another takes the place of one that ends after it was ready.

    failure: done with an exit status once a process ends before it was ready, which no other would mend, or
    once those that follow one have failed too often. live: the names of those that run.
    """

    def __init__(self, settings: Settings, listeners: Sequence[socket.socket]) -> None:
        """Start nothing yet. Requires a running event loop."""
        self._settings = settings
        self._listeners = listeners
        self._loop = asyncio.get_running_loop()
        self._starting: list[_ApiWorker] = []
        self._running: dict[int, _ApiWorker] = {}  # by place
        self._keeping: list[asyncio.Task[None]] = []
        self._num_started = 0
        self._is_stopping = False
        self._ready = [asyncio.Event() for _ in listeners]
        self._stop_has_begun = asyncio.Event()
        self.failure: asyncio.Future[int] = self._loop.create_future()
        self.live: set[str] = set()

    async def begin(self) -> None:
        """Start the processes, which import what they need and wait. Raises OSError if one cannot start."""
        for listener in self._listeners:
            self._starting.append(await _ApiWorker.start(listener))

    async def ready(self, path: str, model_info: ModelInfo) -> bool:
        """Have them serve, and return whether all are ready; else one has failed, or a stop has begun.

        path: the path of the engine's socket.
        """
        for place, worker in enumerate(self._starting):
            self._keeping.append(asyncio.create_task(self._keep(place, worker, path, model_info)))
        self._starting = []
        every = asyncio.ensure_future(self._all_ready())
        stopping = asyncio.ensure_future(self._stop_has_begun.wait())
        await asyncio.wait((every, stopping, self.failure), return_when=asyncio.FIRST_COMPLETED)
        is_ready = every.done()
        every.cancel()
        stopping.cancel()
        return is_ready

    async def _all_ready(self) -> None:
        for event in self._ready:
            await event.wait()

    def begin_stop(self) -> None:
        """Replace none that ends from now on, and wait for none. A handler of signals may call this."""
        self._is_stopping = True
        self._loop.call_soon_threadsafe(self._stop_has_begun.set)

    async def stop(self, grace_s: float) -> None:
        """Have them end by themselves; after the grace period, and the time to flush, they are killed."""
        self._is_stopping = True
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)
        processes = [worker.process for worker in (*self._starting, *self._running.values())]
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

    async def _keep(self, place: int, worker: "_ApiWorker", path: str, model_info: ModelInfo) -> None:
        """Serve with this process, and with one that follows it, until the server stops."""
        num_failures = 0
        following: _ApiWorker | None = worker
        try:
            while following is not None:
                self._running[place] = following
                lived_s = await self._serve(place, following, path, model_info)
                status = await following.process.wait()
                if await self._stops_too(status):
                    return
                _log.error("a process of the API, %d, ended with status %d", following.process.pid, status)
                if not self._ready[place].is_set():
                    self._fail(status)
                    return
                has_failed = lived_s is None or lived_s < _FAILS_WITHIN_S
                num_failures = num_failures + 1 if has_failed else 0
                following = await self._next(place, num_failures)
        except Exception:
            _log.exception("the processes of the API cannot be kept up, for a bug")
        self._fail(ExitStatus.FAILED)

    async def _next(self, place: int, num_failures: int) -> "_ApiWorker | None":
        """Return a new process for a place, after a pause; None once too many have failed in a row."""
        while num_failures < _MAX_FAILURES:
            if num_failures > 1:
                await asyncio.sleep(_PAUSE_S * 2.0 ** (num_failures - 2))
            try:
                return await _ApiWorker.start(self._listeners[place])
            except OSError as error:
                _log.error("a process of the API cannot be started: %s", error)
                num_failures += 1
        _log.error("the processes of the API have failed %d times in a row", num_failures)
        return None

    def _fail(self, status: int) -> None:
        if not self.failure.done():
            self.failure.set_result(status)

    async def _stops_too(self, status: int) -> bool:
        """Return whether the server stops, where a process has ended with such a status."""
        if not self._is_stopping and status in _STOPPED:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop_has_begun.wait(), _SIGNAL_S)
        return self._is_stopping

    async def _serve(
        self, place: int, worker: "_ApiWorker", path: str, model_info: ModelInfo
    ) -> float | None:
        """Return for how many seconds the process was ready, once it has ended; None if it never was."""
        self._num_started += 1
        name = str(self._num_started)
        self.live.add(name)
        try:
            await worker.send(pickle.dumps(ApiWorkerStart(name, self._settings, path, model_info)))
            if not await worker.is_ready():
                return None
            began_at = self._loop.time()
            self._ready[place].set()
            await worker.process.wait()
            return self._loop.time() - began_at
        finally:
            self.live.discard(name)


class _ApiWorker:
    """A process that answers HTTP, and the pipe by which it reports that it is ready.

    Its output is that of this process, since the audit log may go there.
    """

    def __init__(self, process: Process, pipe: int) -> None:
        """Begin to read. pipe: the descriptor of the end to read, which is closed here."""
        self.process = process
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._is_ready: asyncio.Future[bool] = self._loop.create_future()
        self._loop.add_reader(pipe, self._read)

    @classmethod
    async def start(cls, listener: socket.socket) -> "_ApiWorker":
        """Start one that listens on this socket. Raises OSError."""
        pipe, reports = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *command(listener.fileno(), reports),
                stdin=subprocess.PIPE,
                pass_fds=(listener.fileno(), reports),
                start_new_session=True,  # a terminal's Ctrl-C is for this process, which ends the others
            )
        except BaseException:
            os.close(pipe)
            raise
        finally:
            os.close(reports)
        return cls(process, pipe)

    async def send(self, start: bytes) -> None:
        """Send what the process waits for on its standard input, which stays open."""
        assert self.process.stdin is not None
        self.process.stdin.write(start)
        with suppress(ConnectionError):
            await self.process.stdin.drain()

    async def is_ready(self) -> bool:
        """Return True once the process is ready, or False once it has ended before."""
        ended = asyncio.ensure_future(self.process.wait())
        try:
            await asyncio.wait((self._is_ready, ended), return_when=asyncio.FIRST_COMPLETED)
            return self._is_ready.done() and self._is_ready.result()
        finally:
            ended.cancel()
            self._close()

    def _read(self) -> None:
        has_reported = bool(os.read(self._pipe, 1))
        self._close()
        if not self._is_ready.done():
            self._is_ready.set_result(has_reported)

    def _close(self) -> None:
        if self._pipe >= 0:
            self._loop.remove_reader(self._pipe)
            os.close(self._pipe)
            self._pipe = -1
