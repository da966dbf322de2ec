"""The way of a generating request through the server, which is the same for every contract.

It is let in, planned, given its permits, prepared and run; its tokens become a whole answer or a stream. What
the steps do is for a contract's subclasses to say.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import Any, Generic, TypeVar

from typing_extensions import override

from generated.operation import Call
from handlers.access.visits.timing import Timing
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.limit import HeldPermits
from handlers.errors import ToProblem
from handlers.runtime.problem import Problem
from handlers.served_model.served_model import ServedModel

BodyT = TypeVar("BodyT")
PlanT = TypeVar("PlanT")
PreparedT = TypeVar("PreparedT")
ResultT = TypeVar("ResultT")
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class StreamWriter(ABC, Generic[EventT]):
    """Writes the events of one streamed answer."""

    @abstractmethod
    def feed(self, token: Any) -> Iterable[EventT]:
        """Return the events that a token leads to; `token` is one of `GeneratingOperation.tokens`."""

    def end(self) -> Iterable[EventT]:
        """Return the events that follow the last token's."""
        return ()

    def fail(self, problem: Problem) -> Iterable[EventT] | None:
        """Return the events that report a failure in the contract's own way.

        None leaves it to the runtime, which answers an error status before the first event, or else sends its
        error event.
        """
        return None


class TokenWriter(StreamWriter[EventT]):
    """Writes one event for each token."""

    def __init__(self, encode: Callable[[Any], EventT]) -> None:
        self._encode = encode

    @override
    def feed(self, token: Any) -> Iterable[EventT]:
        return (self._encode(token),)


class GeneratingOperation(ABC, Generic[BodyT, PlanT, PreparedT, ResultT, AnswerT, EventT]):
    """One operation that generates.

    BodyT: the body of a client's request, or what its contract makes of it.
    PlanT: the operation that the body asks for, checked as far as needs no tokens.
    PreparedT: the plan with its requests for the engine.
    ResultT: all that was generated.
    """

    def __init__(self, shared: ServedModel, to_problem: ToProblem) -> None:
        self.shared = shared
        self._to_problem = to_problem

    def mapping(self, body: BodyT) -> ToProblem:
        """Return how errors of the request become problems."""
        return self._to_problem

    @abstractmethod
    def plan(self, body: BodyT, *, is_stream: bool) -> PlanT:
        """Check what can be checked before there are permits, which must be quick. Raise Refused."""

    @abstractmethod
    def permits(self, active: ActiveRequest, plan: PlanT) -> HeldPermits:
        """Return the permits that the plan needs."""

    @abstractmethod
    async def prepare(self, plan: PlanT) -> PreparedT:
        """Render and tokenize. Raise Refused, or from the tree of the engine's errors."""

    @abstractmethod
    async def collect(self, active: ActiveRequest, plan: PlanT, prepared: PreparedT) -> ResultT:
        """Run the requests to their end."""

    @abstractmethod
    def num_tokens(self, result: ResultT) -> int:
        """Return how many tokens a whole answer has to write; that of many is written in a thread."""

    @abstractmethod
    def answer(self, plan: PlanT, prepared: PreparedT, result: ResultT) -> AnswerT:
        """Write the whole answer."""

    @abstractmethod
    def tokens(self, active: ActiveRequest, prepared: PreparedT) -> AsyncGenerator[Any, None]:
        """Run the requests, and yield what the writer of a stream is fed with."""

    @abstractmethod
    def writer(self, plan: PlanT, prepared: PreparedT) -> StreamWriter[EventT]:
        """Return a writer for one stream."""

    def headers(self, plan: PlanT, prepared: PreparedT) -> Mapping[str, Any]:
        """Return the headers of every answer."""
        return {}

    def costs(self, timing: Timing) -> Mapping[str, Any]:
        """Return the headers of a whole answer that report what it cost."""
        return {}

    async def whole(self, body: BodyT, call: Call[Any]) -> AnswerT:
        """Answer in one piece."""
        with self._open(body, call) as active:
            plan = self.plan(body, is_stream=False)
            with self.permits(active, plan):
                prepared = await self.prepare(plan)
                result = await self.collect(active, plan, prepared)
                answer = await self.shared.workers.write(
                    self.num_tokens(result), self.answer, plan, prepared, result
                )
        call.respond_with(self.headers(plan, prepared))
        call.respond_with(self.costs(active.timing))
        return answer

    async def stream(self, body: BodyT, call: Call[Any]) -> AsyncGenerator[EventT, None]:
        """Answer token by token."""
        writer: StreamWriter[EventT] | None = None
        try:
            with self._open(body, call) as active:
                plan = self.plan(body, is_stream=True)
                with self.permits(active, plan):
                    prepared = await self.prepare(plan)
                    call.respond_with(self.headers(plan, prepared))
                    writer = self.writer(plan, prepared)
                    async with aclosing(self.tokens(active, prepared)) as tokens:
                        async for token in tokens:
                            for event in writer.feed(token):
                                yield event
                    for event in writer.end():
                        yield event
        except Problem as problem:
            events = None if writer is None else writer.fail(problem)
            if events is None:
                raise
            for event in events:
                yield event

    def _open(self, body: BodyT, call: Call[Any]) -> ActiveRequest:
        return self.shared.active_requests.open(call.received_s, self.mapping(body))
