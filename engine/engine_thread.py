"""The thread that steps the core, and the inbox through which others reach it."""

from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

from engine.call_thread import CallThread
from engine.core import EngineCore
from engine.errors import EngineError
from engine.grammar import CompiledGrammar
from engine.job_table import Output
from engine.request import EmbeddingRequest, GenerationRequest
from engine.request_tables import RequestTables


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
    on_death: called in this thread with what ended it, should the core have a bug. Nothing follows.
    """

    def __init__(
        self,
        core: EngineCore,
        *,
        thread: CallThread,
        publish: Callable[[list[Output]], object],
        on_death: Callable[[BaseException], object],
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

    def stop(self) -> None:
        """From any other thread: waits for the running step, and for no further one."""
        self._inbox.put(_Stop())
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._read_inbox():
                if outputs := self._core.step():
                    self._publish(outputs)
        except BaseException as error:  # a bug of ours, or a library's panic: those who wait must hear of it
            self._on_death(error)

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
