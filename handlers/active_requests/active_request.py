"""One request from its arrival to its answer, under whatever contract: let in, timed and counted."""

from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, aclosing
from types import TracebackType
from typing import Final, Protocol, TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.port.engine import Engine
from engine.port.errors import EngineBusy
from engine.port.events import Embedding, TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest
from handlers.access.visits.timing import Timing
from handlers.access.visits.visit import Visit, current_visit
from handlers.concurrency.limit import Beams, ConcurrencyLimit, HeldPermits, Overloaded
from verbatim_kit.errors import Refused, ToProblem, Violation, mapped_errors, raise_as_problem
from verbatim_kit.runtime.problem import InternalError, Problem

_LAST_PRIORITY: Final = 2**31 - 1  # the lowest that a request may have
Request = TypeVar("Request", GenerationRequest, EmbeddingRequest)


class IncompleteGeneration(Exception):
    """The engine's events ended before every sequence had."""

    def __init__(self) -> None:
        super().__init__("Incomplete generation")


class _NoSpeech(Refused):
    def __init__(self) -> None:
        message = "The model of this server does not transcribe speech"
        super().__init__(message, "model", Violation.UNSUPPORTED_VALUE)


class _NoText(Refused):
    def __init__(self) -> None:
        message = "The model of this server transcribes speech, and neither continues nor embeds texts"
        super().__init__(message, violation=Violation.UNSUPPORTED_VALUE)


class Observer(Protocol):
    """A counter of requests, such as a contract's metrics. Requests of every contract are reported to it."""

    def received(self) -> None:
        """A request has arrived; `failed` or `succeeded` follows."""

    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        """One of its prompts, which fits the context, goes to the engine."""

    def failed(self, error: BaseException, total_s: float) -> None:
        """Count a request that ended with an error, CancelledError or GeneratorExit if its client went away.

        A request that no handler saw took no time.
        """

    def succeeded(self, timing: Timing) -> None:
        """It was answered in full."""


class ActiveRequest(AbstractContextManager["ActiveRequest"]):
    """A request that is answered in its block; an error there is counted and mapped by `to_problem`.

    EngineBusy is Overloaded, with the time after which to retry: the engine's own, if it names one.
    """

    def __init__(
        self,
        timing: Timing,
        to_problem: ToProblem,
        engine: Engine,
        limit: ConcurrencyLimit,
        observers: tuple[Observer, ...],
        *,
        clamps_tokens: bool,
    ) -> None:
        self._clamps_tokens = clamps_tokens
        self.timing = timing
        self._to_problem = to_problem
        self._engine = engine
        self._limit = limit
        self._observers = observers
        self._visit = current_visit.get() or Visit("", "", "", None)  # the latter without a server
        self._visit.timing = timing
        self._held: HeldPermits | None = None
        self._has_begun = False  # whether any of its tokens have come

    @override
    def __enter__(self) -> "ActiveRequest":
        for observer in self._observers:
            observer.received()
        return self

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.timing.finish()
            for observer in self._observers:
                observer.succeeded(self.timing)
            return
        if isinstance(error, EngineBusy):
            error, cause = self._limit.overloaded(error.retry_after_s), error
            error.__cause__ = cause
        for observer in self._observers:
            observer.failed(error, self.timing.total_s)
        if isinstance(error, Exception):
            self._visit.fail(type(error).__name__, _status_of(error, self._to_problem))
            raise_as_problem(error, self._to_problem)

    def permits(
        self, field: str, num_sequences: int, beams: Beams | None = None, *, takes_turns: bool = False
    ) -> HeldPermits:
        """A permit for each sequence until it ends, or the block; no more than one request may hold.

        The other sequences wait for these. field: the one that asks for them. beams: of each search, which
        need theirs together. takes_turns: whether so many sequences run at once, again and again.
        Raises Overloaded if too few are free; TooManySequences or TooManyBeams if no retry can help.
        """
        self._held = self._limit.hold(num_sequences, field, beams, takes_turns=takes_turns)
        return self._held

    async def run(self, request: GenerationRequest) -> AsyncGenerator[TokenEvent, None]:
        """The engine's events; what it raises passes through.

        To be called within `permits`; waits until some of these are free. They go back as the sequences end,
        though nobody may have read their events yet.
        Raises IncompleteGeneration if the events end before a sequence does.
        """
        request = self._ranked(self._salted(request))
        if self._clamps_tokens:
            request = request.clamped(self._engine.model_info.max_total_tokens)
        self._validate(len(request.prompt.token_ids), request.stopping.max_tokens)
        self._visit.submit(request)
        num_running = request.num_sequences
        num_beams = request.beams.num_beams if request.beams else 1
        assert self._held is not None, "a request runs within its permits"
        with await self._held.permits.turn(num_running, num_beams=num_beams) as turn:
            if turn.num_parallel < num_running:
                request = replace(request, num_parallel=turn.num_parallel)
            if self._has_begun:
                request = replace(request, waits_for_room=True)
            count, charge = self.timing.count, self._visit.charge
            async with aclosing(self._engine.submit(request, turn.end)) as events:
                async for event in events:
                    charge(count(event))
                    self._has_begun = True
                    if event.finish is not None:
                        num_running -= 1
                    yield event
        if num_running:
            raise IncompleteGeneration

    async def embed(self, request: EmbeddingRequest) -> Embedding:
        """The text's vector; what the engine raises passes through."""
        self._validate(len(request.prompt.token_ids), 0)
        embedding = await self._engine.embed(self._ranked(self._salted(request)))
        self.timing.count_embedding(embedding)
        self._visit.charge(embedding.num_prompt_tokens)
        return embedding

    def count_relayed(self, num_prompt_tokens: int, num_generated_tokens: int) -> None:
        """Count the tokens of a request that another process of this server has run."""
        self.timing.num_prompt_tokens += num_prompt_tokens
        self.timing.num_generated_tokens += num_generated_tokens
        self._visit.charge(num_prompt_tokens + num_generated_tokens)

    def _salted(self, request: Request) -> Request:
        """The request as the prefix cache is to see it: apart from those of other keys."""
        salt = self._visit.cache_salt(request.cache_salt)
        return request if salt == request.cache_salt else replace(request, cache_salt=salt)

    def _ranked(self, request: Request) -> Request:
        """The request behind all others, if it is a line of a batch and the engine has priorities."""
        if not self._visit.is_batch or not self._engine.capabilities.priority:
            return request
        return replace(request, priority=_LAST_PRIORITY)

    def _validate(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        """Note that a prompt goes to the engine, which refuses one that does not fit."""
        self.timing.validate()
        if num_prompt_tokens + max_new_tokens > self._engine.model_info.max_total_tokens:
            return  # it may ask for any number of tokens, which would be in the metrics for ever
        for observer in self._observers:
            observer.validated(num_prompt_tokens, max_new_tokens)


def _status_of(error: Exception, to_problem: ToProblem) -> int:
    problem = to_problem(error)
    return problem.status if isinstance(problem, Problem) else InternalError().status


class ActiveRequests:
    """A factory of active requests over one engine and one limit."""

    def __init__(self, engine: Engine, limit: ConcurrencyLimit, *, clamps_tokens: bool = False) -> None:
        """Begin without observers.

        clamps_tokens: whether a request that asks for more tokens than the context leaves gets what is left;
        otherwise the engine refuses it.
        """
        self._clamps_tokens = clamps_tokens
        self._engine = engine
        self._limit = limit
        self._observers: tuple[Observer, ...] = ()

    def observe(self, observer: Observer) -> None:
        """Report all requests from now on to the observer."""
        self._observers += (observer,)

    def open(self, received_s: float, to_problem: ToProblem) -> ActiveRequest:
        """Return the context manager of a block that answers a request.

        received_s: the time at which the request arrived, by `time.perf_counter`.
        """
        return ActiveRequest(
            Timing(received_s),
            to_problem,
            self._engine,
            self._limit,
            self._observers,
            clamps_tokens=self._clamps_tokens,
        )

    def check_served(self, to_problem: ToProblem, *, is_speech: bool) -> None:
        """Raise Refused, as `to_problem` maps it, if the model does not do what a request asks for.

        is_speech: whether that is to write down speech, rather than to continue or to embed texts.
        """
        capabilities = self._engine.capabilities
        is_served = capabilities.transcribes if is_speech else capabilities.generates_text
        if not is_served:
            with mapped_errors(to_problem):
                raise _NoSpeech() if is_speech else _NoText()

    def check_room(self, to_problem: ToProblem) -> None:
        """Raise Overloaded, as `to_problem` maps it, if no request can be let in, whatever it asks for."""
        if not self._limit.has_room:
            with mapped_errors(to_problem):
                raise self._limit.overloaded()

    def refused(self, problem: Exception) -> None:
        """A request that no handler saw, for what its body or its parameters are."""
        cause = problem.__cause__ if isinstance(problem.__cause__, Overloaded) else problem
        for observer in self._observers:
            observer.received()
            observer.failed(cause, 0.0)
