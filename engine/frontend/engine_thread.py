"""The thread that steps the core, and the inbox through which others reach it."""

import logging
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

from engine.call_thread import CallThread
from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.errors import EngineError
from engine.grammar.compiler import CompiledGrammar
from engine.request import EmbeddingRequest, GenerationRequest
from engine.sampling.request_tables import RequestTables

_log = logging.getLogger(__name__)


class Add(NamedTuple):
    """Run this request; fields as of `EngineCore.add`."""

    arrival: int
    request: GenerationRequest
    grammar: CompiledGrammar | None
    submitted_at: float
    tables: RequestTables | None = None


class Embed(NamedTuple):
    """Run this request; fields as of `EngineCore.embed`."""

    arrival: int
    request: EmbeddingRequest
    submitted_at: float


class Abort(NamedTuple):
    """Forget the request of that arrival and free its blocks."""

    arrival: int


Message = Add | Embed | Abort


class _Stop:
    """End the thread."""


class EngineThread:
    """Steps the core while there is work, sleeps while there is none, and reads the inbox between steps.

    thread: where it does, and in which the core was best built. The threads that torch and compiled code
        compute with belong to the thread that asked for them, and those of a second one would stand in their
        way.
    publish: called in this thread with what a step has to tell, once a step.
    on_death: called in this thread after what ended it is in the log, should the core have a bug. Nothing
        follows.
    """

    def __init__(
        self,
        core: EngineCore,
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

    def start(self) -> None:
        self._thread.submit(self._run)
        self._thread.end()

    def post(self, message: Message) -> None:
        """From any thread."""
        self._inbox.put(message)

    def stop(self, timeout_s: float) -> bool:
        """From any other thread: no further step begins. Returns whether the running one ended within
        `timeout_s`.
        """
        self._inbox.put(_Stop())
        return self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            while self._read_inbox():
                if outputs := self._core.step():
                    self._publish(outputs)
        except BaseException:  # a bug of ours, or a library's panic: those who wait must hear of it
            _log.critical("the engine died", exc_info=True)
            self._on_death()
        finally:
            self._core.close()

    def _read_inbox(self) -> bool:
        """Takes all messages, waiting for one if there is nothing to do. False: stop."""
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
        if isinstance(message, Embed):
            self._core.embed(message.arrival, message.request, submitted_at=message.submitted_at)
            return
        try:
            self._core.add(
                message.arrival,
                message.request,
                message.grammar,
                submitted_at=message.submitted_at,
                tables=message.tables,
            )
        except EngineError as error:
            self._publish([Output(message.arrival, error)])
