"""The API workers, which the engine process starts, and restarts when they end."""

import asyncio
import logging
import os
import pickle
import socket
import subprocess
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from engine.port.info.model_info import ModelInfo
from handlers.process.end_by_signal import STOP
from handlers.process.exit_status import ExitStatus
from handlers.serving.api_workers.api_worker_start import ApiWorkerStart, command
from handlers.serving.draining_server import FLUSH_S
from handlers.settings.settings import Settings

_log = logging.getLogger(__name__)

_TO_END_S: Final = 0.5  # after the last connection
# A worker that ends sooner after it was ready counts as a failure.
_FAILS_WITHIN_S: Final = 10.0
_MAX_FAILURES: Final = 6  # consecutive; connections to the worker's socket wait meanwhile, some seconds
_PAUSE_S: Final = 0.25  # before the second restart in a row, doubled for each further one
# A stop signal may be sent to all processes and reach this one last.
_SIGNAL_S: Final = 1.0
_STOPPED: Final = frozenset({0, *(status for sent in STOP for status in (128 + sent, -sent))})


class ApiWorkers:
    """The API workers, one for each socket. A worker that ends after it was ready is replaced.

    failure: is set to an exit status if a worker ends before it was ready, or if its replacements fail too
    often. live: names of the running workers.
    """

    def __init__(self, settings: Settings, listeners: Sequence[socket.socket]) -> None:
        """Create the object without starting workers. Requires a running event loop."""
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
        """Start the workers, which import their modules and wait for `ready`. Raises OSError."""
        for listener in self._listeners:
            self._starting.append(await _ApiWorker.start(listener))

    async def ready(self, path: str, model_info: ModelInfo) -> bool:
        """Let the workers serve, and return True when all are ready; False if one failed or a stop has begun.

        path: the path of the engine's Unix socket.
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
        """Begin a stop: replace no worker from now on. May be called by a signal handler."""
        self._is_stopping = True
        self._loop.call_soon_threadsafe(self._stop_has_begun.set)

    async def stop(self, grace_s: float) -> bool:
        """Terminate the workers; kill those that still run after the grace period and the time to flush.

        Returns whether all have stopped without a failure.
        """
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
            return ExitStatus.FAILED not in await asyncio.wait_for(waiting, grace_s + FLUSH_S + _TO_END_S)
        except TimeoutError:
            for process in processes:
                with suppress(ProcessLookupError):
                    process.kill()
            return False

    async def _keep(self, place: int, worker: "_ApiWorker", path: str, model_info: ModelInfo) -> None:
        """Keep a worker running, by replacing it when it ends, until the server stops."""
        num_failures = 0
        current: _ApiWorker | None = worker
        try:
            while current is not None:
                self._running[place] = current
                lived_s = await self._serve(place, current, path, model_info)
                status = await current.process.wait()
                if await self._stops_too(status):
                    return
                pid = current.process.pid
                _log.error("an API worker (process %d) ended with exit status %d", pid, status)
                if not self._ready[place].is_set():
                    self._fail(status)
                    return
                has_failed = lived_s is None or lived_s < _FAILS_WITHIN_S
                num_failures = num_failures + 1 if has_failed else 0
                current = await self._next(place, num_failures)
        except Exception:
            _log.exception("the API workers cannot be kept running because of a bug")
        self._fail(ExitStatus.FAILED)

    async def _next(self, place: int, num_failures: int) -> "_ApiWorker | None":
        """Return a new worker for a place, after a pause; None after too many consecutive failures."""
        while num_failures < _MAX_FAILURES:
            if num_failures > 1:
                await asyncio.sleep(_PAUSE_S * 2.0 ** (num_failures - 2))
            try:
                return await _ApiWorker.start(self._listeners[place])
            except OSError as error:
                _log.error("an API worker cannot be started: %s", error)
                num_failures += 1
        _log.error("an API worker has failed %d times in a row", num_failures)
        return None

    def _fail(self, status: int) -> None:
        if not self.failure.done():
            self.failure.set_result(status)

    async def _stops_too(self, status: int) -> bool:
        """Return whether the server is stopping, given the exit status with which a worker has ended."""
        if not self._is_stopping and status in _STOPPED:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop_has_begun.wait(), _SIGNAL_S)
        return self._is_stopping

    async def _serve(
        self, place: int, worker: "_ApiWorker", path: str, model_info: ModelInfo
    ) -> float | None:
        """Run a worker until it ends; return the seconds for which it was ready, or None if it never was."""
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
    """The process of an API worker, and the pipe on which it reports that it is ready.

    It shares standard output with this process, since the audit log may be written there.
    """

    def __init__(self, process: Process, pipe: int) -> None:
        """Start watching the pipe. pipe: file descriptor of the read end, which this object closes."""
        self.process = process
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._is_ready: asyncio.Future[bool] = self._loop.create_future()
        self._loop.add_reader(pipe, self._read)

    @classmethod
    async def start(cls, listener: socket.socket) -> "_ApiWorker":
        """Start a worker that listens on this socket. Raises OSError."""
        pipe, reports = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *command(listener.fileno(), reports),
                stdin=subprocess.PIPE,
                pass_fds=(listener.fileno(), reports),
                start_new_session=True,  # so that Ctrl-C in a terminal reaches only this process
            )
        except BaseException:
            os.close(pipe)
            raise
        finally:
            os.close(reports)
        return cls(process, pipe)

    async def send(self, start: bytes) -> None:
        """Send the start message to the worker's standard input, which stays open."""
        assert self.process.stdin is not None
        self.process.stdin.write(start)
        with suppress(ConnectionError):
            await self.process.stdin.drain()

    async def is_ready(self) -> bool:
        """Wait until the worker is ready (True) or has ended (False)."""
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
