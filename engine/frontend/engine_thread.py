"""The thread that steps the core, and the inbox by which other threads send it messages."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from engine.core.job_table import Output
from engine.frontend.stepped_core import SteppedCore
from engine.grammar.compiler import CompiledGrammar
from engine.host.call_thread import CallThread
from engine.port.errors import EngineError, EngineStopped, GenerationFailed
from engine.port.info.adapter import Adapter
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.sampling.request_tables import RequestTables

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Add(NamedTuple):
    """The message to run a request; fields as in `SteppedCore.add`."""

    arrival: int
    request: GenerationRequest
    grammar: CompiledGrammar | None
    submitted_at: float
    tables: RequestTables | None = None
    adapter: Adapter | None = None


class Embed(NamedTuple):
    """The message to run an embedding request; fields as in `SteppedCore.embed`."""

    arrival: int
    request: EmbeddingRequest
    submitted_at: float
    adapter: Adapter | None = None


class Compute(NamedTuple):
    """The message to call a function between steps, and to give its result to the future.

    function: a function that takes no longer than a step. The future raises what it raises.
    """

    function: Callable[[], object]
    future: "Future[object]"


class Abort(NamedTuple):
    """The message to remove the request with this arrival and free its blocks."""

    arrival: int


Message = Add | Embed | Compute | Abort


class _Stop:
    """The message to end the thread."""


class EngineThread:
    """The loop that steps the core while it has requests, and reads the inbox between steps.

    thread: the thread to run in, preferably the one in which the core was built: torch and compiled code
        start their OpenMP threads for the thread that calls them, and those of a second one would compete
        with them.
    publish: called in this thread with the outputs of each step that has any.
    on_death: called in this thread after an unexpected exception ended the loop and was logged. Nothing
        follows.
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
        """Send a message. Any thread may call this."""
        self._inbox.put(message)

    def compute(self, function: Callable[[], T]) -> "Future[T]":
        """Call a function in the thread, between steps. Any thread may call this.

        The future raises EngineStopped if the thread ends before.
        """
        future: Future[Any] = Future()
        with self._computing_lock:
            if self._has_ended:
                future.set_exception(EngineStopped("the engine has stopped"))
            else:
                self._inbox.put(Compute(function, future))
        return future

    def stop(self, timeout_s: float) -> bool:
        """Let no further step begin, and return whether the running one ended within `timeout_s` seconds.

        Any other thread may call this.
        """
        self._inbox.put(_Stop())
        return self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            while self._read_inbox():
                if outputs := self._core.step():
                    self._publish(outputs)
        except BaseException:  # a bug of ours or of a library: waiting requests must fail
            _log.critical("the engine died", exc_info=True)
            self._on_death()
        finally:
            self._end_computing()
            self._core.close()

    def _end_computing(self) -> None:
        """Let all calls fail that wait, and those to come."""
        with self._computing_lock:
            self._has_ended = True
        while not self._inbox.empty():
            message = self._inbox.get()
            if isinstance(message, Compute) and message.future.set_running_or_notify_cancel():
                message.future.set_exception(EngineStopped("the engine has stopped"))

    def _read_inbox(self) -> bool:
        """Handle all messages, waiting for one if there is no request.

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
        except Exception:  # an option that no contract lets through: the other requests go on
            _log.exception("request %r cannot begin", message.request.request_id)
            self._publish([Output(message.arrival, GenerationFailed("the request cannot begin"))])

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
    """Call the function, unless nobody waits for it any more."""
    if not message.future.set_running_or_notify_cancel():
        return
    try:
        result = message.function()
    except Exception as error:  # for the caller, and no fault of the requests that run
        message.future.set_exception(error)
    else:
        message.future.set_result(result)
