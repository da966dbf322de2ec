"""One of several models: the process that serves it, while there is one."""

import asyncio
import logging
import pickle
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Final

import aiohttp
import msgspec

from engine.model.loading.checkpoint.weight_size import weight_bytes
from engine.port.errors import EngineError
from engine.remote.local.local_port import free_port
from engine.remote.local.local_server import LocalServer
from engine.remote.local.thread_placement import descendants
from handlers.process.footprint import resident_bytes
from handlers.process.watchdog import FORCE_S
from handlers.serving.draining_server import FLUSH_S
from handlers.settings.settings import Settings
from handlers.settings.several_models import UNSUPERVISED

_HOST: Final = "127.0.0.1"
_POLL_S: Final = 0.1
_ASK_TIMEOUT_S: Final = 2.0
_MAX_REASON: Final = 300  # characters that an answer repeats of a process's last line
# The supervisor's own: certificates, names and web pages are checked before a request is passed on.
_LOCAL: Final = {
    "host": _HOST,
    **dict.fromkeys(("ssl_certfile", "ssl_keyfile", "ssl_keyfile_password", "ssl_ca_certs")),
    **dict.fromkeys(("allowed_hosts", "cors_allow_origin"), ()),
    **UNSUPERVISED,
}

_log = logging.getLogger(__name__)


class CannotStart(Exception):
    """The process of a model has ended before it served."""


class State(StrEnum):
    """The state of a model's process."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"


class Model:
    """A model and its process. All methods belong to one event loop.

    name: the name in requests. url: of its process, while it runs. memory_bytes: resident memory of its
    processes when it was last measured; before that, the size of its weights, once `weigh` has found it.
    num_waiting, num_requests: requests that wait for its start, and that it answers. used_at: when it last
    had one, by the event loop's clock. is_asleep: whether requests do not start it.
    """

    def __init__(
        self,
        name: str,
        settings: Settings,
        program: Sequence[str],
        session: aiohttp.ClientSession,
        on_change: Callable[[], object],
    ) -> None:
        """Start nothing yet.

        settings: of the process. program: the command that serves by the pickled settings in a file, whose
        descriptor is its last argument. on_change: called when the state has changed.
        """
        self.name = name
        self.state = State.STOPPED
        self.url = ""
        self.memory_bytes = 0
        self.num_waiting = self.num_requests = 0
        self.used_at = 0.0
        self.is_asleep = False
        self._settings = settings
        self._program = program
        self._session = session
        self._on_change = on_change
        self._process: LocalServer | None = None
        self._following: asyncio.Task[None] | None = None
        self._is_told_to_stop = False
        self._last_line = ""

    @property
    def is_busy(self) -> bool:
        """True if requests wait for it or are answered."""
        return bool(self.num_waiting or self.num_requests)

    async def weigh(self) -> None:
        """Take the size of the weights for that of the processes, before the first start."""
        if not self.memory_bytes:
            source, revision = self._settings.model_source, self._settings.revision
            self.memory_bytes = await asyncio.to_thread(weight_bytes, source, revision)

    def launch(self) -> None:
        """Start the process, which `started` waits for. Raises CannotStart."""
        assert self.state is State.STOPPED
        # Longer than the process itself takes for a stop.
        term_s = self._settings.graceful_termination_timeout + FLUSH_S + FORCE_S
        try:
            port = free_port()
            with tempfile.TemporaryFile() as file:  # which no path leads to, since it may hold keys
                pickle.dump(
                    self._settings.model_copy(
                        update={**_LOCAL, "port": port, "no_store": self._settings.store is None}
                    ),
                    file,
                )
                file.seek(0)
                self._process = LocalServer(
                    self.name,
                    (*self._program, str(file.fileno())),
                    term_s=term_s,
                    take_line=self._pass_on,
                    pass_fds=(file.fileno(),),
                )
        except (EngineError, OSError) as error:
            raise CannotStart(str(error)) from error
        self.url = f"http://{_HOST}:{port}"
        self._last_line = ""
        self._is_told_to_stop = False
        self._set(State.STARTING)
        self._following = asyncio.create_task(self._follow(self._process))

    async def started(self) -> None:
        """Wait until the process serves, or was stopped. Raises CannotStart if it ends by itself."""
        while self.state is State.STARTING:
            if await self._is_ready():
                self._set(State.RUNNING)
                return
            await asyncio.sleep(_POLL_S)
        if not self._is_told_to_stop:
            raise CannotStart(_reason(self._last_line) or "its process ended without a word")

    async def stop(self) -> None:
        """Stop the process, whose running requests end within the grace period, and wait for its end."""
        process, following = self._process, self._following
        if process is not None and following is not None:
            self.leave()
            await process.stop()
            await asyncio.shield(following)

    def leave(self) -> None:
        """Take no further requests, before a stop; they wait for the next start."""
        self._is_told_to_stop = True
        self._set(State.STOPPING)

    def measure(self) -> None:
        """Measure the resident memory of the processes."""
        if self._process is not None:
            resident = 0
            for process in descendants([self._process.pid]):
                with suppress(OSError):  # it has ended, or this is not Linux
                    resident += resident_bytes(process)
            self.memory_bytes = resident or self.memory_bytes

    def _set(self, state: State) -> None:
        self.state = state
        self._on_change()

    async def _follow(self, process: LocalServer) -> None:
        status = await process.exited()
        await process.stop()  # closes its pipe, too, if it has ended by itself
        if not self._is_told_to_stop:
            _log.error("the process of the model %s ended with exit status %d", self.name, status)
        self._process = None
        self._set(State.STOPPED)

    async def _is_ready(self) -> bool:
        timeout = aiohttp.ClientTimeout(total=_ASK_TIMEOUT_S)
        with suppress(aiohttp.ClientError, OSError, TimeoutError):
            async with self._session.get(f"{self.url}/ready", timeout=timeout) as answer:
                return answer.status == 200
        return False

    def _pass_on(self, line: str) -> None:
        self._last_line = line
        with suppress(OSError):
            print(line if self._settings.logs_json else f"[{self.name}] {line}", flush=True)


def _reason(line: str) -> str:
    """Return the message of a line of output, which may be a JSON object."""
    with suppress(msgspec.DecodeError, KeyError, TypeError):
        line = str(msgspec.json.decode(line)["fields"]["message"])
    return line.strip().removeprefix("verbatim: error: ")[:_MAX_REASON]
