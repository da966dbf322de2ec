"""The thread that runs the engine core step by step, and its queue of messages from other threads."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from engine.core.job_table import Output
from engine.engine_thread.stepped_core import SteppedCore
from engine.grammar.compiler import CompiledGrammar
from engine.host.call_thread import CallThread
from engine.port.errors import EngineError, EngineStopped, GenerationFailed
from engine.port.info.adapter import Adapter
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.sampling.request_tables import RequestTables

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Add(NamedTuple):
    """A message to run a request; fields as in `SteppedCore.add`."""

    arrival: int
    request: GenerationRequest
    grammar: CompiledGrammar | None
    submitted_at: float
    tables: RequestTables | None = None
    adapter: Adapter | None = None


class Embed(NamedTuple):
    """A message to run an embedding request; fields as in `SteppedCore.embed`."""

    arrival: int
    request: EmbeddingRequest
    submitted_at: float
    adapter: Adapter | None = None


class Compute(NamedTuple):
    """A message to call a function between steps.

    function: must not take longer than a step. future: receives its result or exception.
    """

    function: Callable[[], object]
    future: "Future[object]"


class Abort(NamedTuple):
    """A message to remove the request with this arrival number and free its blocks."""

    arrival: int


Message = Add | Embed | Compute | Abort


class _Stop:
    """A message to end the thread."""


class EngineThread:
    """The loop that steps the core while it has requests, and handles messages between steps.

    thread: the thread to run in, preferably the one in which the core was built: torch and compiled code
    start OpenMP threads for each calling thread, and those of a second one would compete with them. publish:
    called in this thread with the outputs of each step that has any. on_death: called in this thread, as the
    last call, after an unexpected exception ended the loop and was logged.
    """

    def __init__(
        self,
        core: SteppedCore,
        *,
        thread: CallThread,
        publish: Callable[[list[Output]], object],
        on_death: Callable[[], object],
    ) -> None:
        self._core = core
        self._publish = publish
        self._on_death = on_death
        self._inbox: SimpleQueue[Message | _Stop] = SimpleQueue()
        self._thread = thread
        self._computing_lock = Lock()
        self._has_ended = False

    def start(self) -> None:
        self._thread.submit(self._run)
        self._thread.end()

    def post(self, message: Message) -> None:
        """Send a message. Thread-safe."""
        self._inbox.put(message)

    def compute(self, function: Callable[[], T]) -> "Future[T]":
        """Call a function in the thread, between steps. Thread-safe.

        The returned future raises EngineStopped if the thread ends before the call.
        """
        future: Future[Any] = Future()
        with self._computing_lock:
            if self._has_ended:
                future.set_exception(EngineStopped("the engine has stopped"))
            else:
                self._inbox.put(Compute(function, future))
        return future

    def stop(self, timeout_s: float) -> bool:
        """Start no further step, and return whether the running one ended within `timeout_s` seconds.

        Must be called from another thread.
        """
        self._inbox.put(_Stop())
        return self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            while self._read_inbox():
                if outputs := self._core.step():
                    self._publish(outputs)
        except BaseException:  # a bug here or in a library: waiting requests must fail
            _log.critical("the engine died", exc_info=True)
            self._on_death()
        finally:
            self._end_computing()
            self._core.close()

    def _end_computing(self) -> None:
        """Let all pending and future calls of `compute` fail."""
        with self._computing_lock:
            self._has_ended = True
        while not self._inbox.empty():
            message = self._inbox.get()
            if isinstance(message, Compute) and message.future.set_running_or_notify_cancel():
                message.future.set_exception(EngineStopped("the engine has stopped"))

    def _read_inbox(self) -> bool:
        """Handle all messages; wait for one if there is no request.

        Return False if the loop must stop.
        """
        while not (self._inbox.empty() and self._core.has_work):
            message = self._inbox.get()
            if isinstance(message, _Stop):
                return False
            self._take(message)
        return True

    def _take(self, message: Message) -> None:
        if isinstance(message, Abort):
            self._core.abort(message.arrival)
            return
        if isinstance(message, Compute):
            _compute(message)
            return
        try:
            self._begin(message)
        except EngineError as error:
            self._publish([Output(message.arrival, error)])
        except Exception:  # an invalid option, which contracts should refuse: other requests must go on
            _log.exception("request %r cannot be started", message.request.request_id)
            self._publish([Output(message.arrival, GenerationFailed("the request cannot be started"))])

    def _begin(self, message: Add | Embed) -> None:
        if isinstance(message, Embed):
            self._core.embed(
                message.arrival,
                message.request,
                submitted_at=message.submitted_at,
                adapter=message.adapter,
            )
            return
        self._core.add(
            message.arrival,
            message.request,
            message.grammar,
            submitted_at=message.submitted_at,
            tables=message.tables,
            adapter=message.adapter,
        )


def _compute(message: Compute) -> None:
    """Call the function of a message, unless its future was cancelled."""
    if not message.future.set_running_or_notify_cancel():
        return
    try:
        result = message.function()
    except Exception as error:  # concerns only the caller, not the running requests
        message.future.set_exception(error)
    else:
        message.future.set_result(result)
