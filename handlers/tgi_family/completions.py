"""Prompts that are continued, whole or in pieces."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Generic, Protocol, TypeVar

from engine.events import TokenEvent
from engine.request import GenerationRequest
from generated.operation import Call, EncodedEvent
from handlers.concurrency.merge import merge
from handlers.service.sequences import GeneratedRequest
from handlers.service.timing import Timing
from handlers.tgi_family.completion_request import CompletionParams, completion_requests, num_prompts
from handlers.tgi_family.headers import Headers, cost_headers
from handlers.tgi_family.service import Service
from handlers.wire.envelope import Envelope

BodyT = TypeVar("BodyT", contravariant=True)
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")
EventT_co = TypeVar("EventT_co", covariant=True)


class ContinuationWriter(Protocol[EventT_co]):
    """Writes the chunks of one streamed answer."""

    def encode(self, index: int, event: TokenEvent) -> EncodedEvent | EventT_co:
        """index: which of the prompts."""


class Completions(ABC, Generic[BodyT, AnswerT, EventT]):
    """Continues prompts in a contract's form, which its subclass knows."""

    def __init__(self, service: Service) -> None:
        self.service = service

    @abstractmethod
    def params(self, body: BodyT) -> CompletionParams:
        """What the body asks for; reads no prompt, so that it is quick."""

    @abstractmethod
    def answer(self, envelope: Envelope, generated: Sequence[GeneratedRequest]) -> AnswerT:
        """One choice for each prompt, in the prompts' order."""

    @abstractmethod
    def chunks(self, envelope: Envelope) -> ContinuationWriter[EventT]:
        """The writer of a streamed answer."""

    def costs(self, timing: Timing) -> Headers:
        """Headers of a whole answer that tell what it cost."""
        return cost_headers(timing)

    async def whole(self, body: BodyT, call: Call[Headers]) -> AnswerT:
        service, params = self.service, self.params(body)
        with (
            service.exchange(call.received_s) as exchange,
            exchange.permits("prompt", num_prompts(params, service.limits)),
        ):
            requests = await self._read(params)
            generated = [GeneratedRequest() for _ in requests]
            async with aclosing(merge([exchange.run(request) for request in requests])) as tokens:
                async for index, token in tokens:
                    generated[index].add(token)
            num_tokens = sum(one.num_tokens for one in generated)
            answer = await service.workers.write(num_tokens, self.answer, self._envelope(), generated)
        call.respond_with(service.compute_headers(*params.prompts))
        call.respond_with(self.costs(exchange.timing))
        return answer

    async def stream(self, body: BodyT, call: Call[Headers]) -> AsyncGenerator[EventT | EncodedEvent, None]:
        service, params = self.service, self.params(body)
        with (
            service.exchange(call.received_s) as exchange,
            exchange.permits("prompt", num_prompts(params, service.limits)),
        ):
            requests = await self._read(params)
            call.respond_with(service.compute_headers(*params.prompts))
            chunks = self.chunks(self._envelope())
            async with aclosing(merge([exchange.run(request) for request in requests])) as tokens:
                async for index, token in tokens:
                    yield chunks.encode(index, token)

    async def _read(self, params: CompletionParams) -> list[GenerationRequest]:
        service = self.service
        return await service.workers.tokenize(
            params.num_characters, completion_requests, params, service.limits, service.tokenizer
        )

    def _envelope(self) -> Envelope:
        return Envelope.new(self.service.model, "cmpl")
