"""Text in, text out, whole or token by token."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Generic, Protocol, TypeVar

from engine.events import TokenEvent
from generated.operation import Call, EncodedEvent
from handlers.service.sequences import GeneratedRequest, collect
from handlers.service.timing import Timing
from handlers.tgi_family.headers import Headers, cost_headers
from handlers.tgi_family.limits import num_streamed
from handlers.tgi_family.params import NativeParams
from handlers.tgi_family.request import NativeRequest, native_request
from handlers.tgi_family.service import Service

BodyT = TypeVar("BodyT", contravariant=True)
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")
EventT_co = TypeVar("EventT_co", covariant=True)


class EventWriter(Protocol[EventT_co]):
    """Writes the events of one stream."""

    def encode(self, event: TokenEvent) -> EncodedEvent | EventT_co: ...


class Generation(ABC, Generic[BodyT, AnswerT, EventT]):
    """Answers native requests in a contract's form, which its subclass knows."""

    def __init__(self, service: Service) -> None:
        self.service = service

    @abstractmethod
    def params(self, body: BodyT) -> NativeParams:
        """What the body asks for."""

    @abstractmethod
    def answer(self, native: NativeRequest, generated: GeneratedRequest) -> AnswerT:
        """The whole answer."""

    @abstractmethod
    def events(self, native: NativeRequest) -> EventWriter[EventT]:
        """The writer of a streamed answer."""

    def costs(self, timing: Timing) -> Headers:
        """Headers of a whole answer that tell what it cost."""
        return cost_headers(timing)

    async def whole(self, body: BodyT, call: Call[Headers]) -> AnswerT:
        service, params = self.service, self.params(body)
        with (
            service.exchange(call.received_s) as exchange,
            exchange.permits("best_of", service.limits.num_sequences(params)),
        ):
            native = await self._read(params, is_stream=False)
            generated = await collect(exchange.run(native.request), native.request.num_sequences)
            answer = await service.workers.write(generated.num_tokens, self.answer, native, generated)
        call.respond_with(service.compute_headers(params.inputs))
        call.respond_with(self.costs(exchange.timing))
        return answer

    async def stream(self, body: BodyT, call: Call[Headers]) -> AsyncGenerator[EventT | EncodedEvent, None]:
        service, params = self.service, self.params(body)
        with (
            service.exchange(call.received_s) as exchange,
            exchange.permits("best_of", num_streamed(params)),
        ):
            native = await self._read(params, is_stream=True)
            call.respond_with(service.compute_headers(params.inputs))
            events = self.events(native)
            async with aclosing(exchange.run(native.request)) as tokens:
                async for token in tokens:
                    yield events.encode(token)

    async def _read(self, params: NativeParams, *, is_stream: bool) -> NativeRequest:
        service = self.service
        return await service.workers.tokenize(
            len(params.inputs), native_request, params, service.limits, service.tokenizer, is_stream=is_stream
        )
