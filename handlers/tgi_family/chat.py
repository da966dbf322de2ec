"""Conversations, answered whole or in pieces."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from generated.operation import Answer, Call, EncodedEvent
from handlers.chat.core import PreparedChat
from handlers.chat.params import ChatParams
from handlers.chat.reading.delta import ChatDelta
from handlers.chat.reading.result import ChatResult, collect
from handlers.chat.usage import ChatUsage
from handlers.service.timing import Timing
from handlers.tgi_family.headers import Headers, cost_headers
from handlers.tgi_family.service import Service
from handlers.wire.envelope import Envelope

BodyT = TypeVar("BodyT", bound=BaseModel, contravariant=True)
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")
EventT_co = TypeVar("EventT_co", covariant=True)


class ChunkWriter(Protocol[EventT_co]):
    """Writes the chunks of one streamed answer."""

    def encode(self, delta: ChatDelta) -> EncodedEvent | EventT_co: ...

    def usage(self, counts: ChatUsage) -> EventT_co:
        """The chunk that follows the last choice, where the client asked for it."""


class Chat(ABC, Generic[BodyT, AnswerT, EventT]):
    """Answers conversations in a contract's form, which its subclass knows."""

    def __init__(self, service: Service) -> None:
        self.service = service

    @abstractmethod
    def params(self, body: BodyT) -> ChatParams:
        """What the body asks for. Runs in a thread; raises Refused and its kinds."""

    @abstractmethod
    def num_answers(self, body: BodyT) -> int:
        """How many answers it asks for."""

    @abstractmethod
    def wants_usage(self, body: BodyT) -> bool:
        """Whether a stream ends with its token counts."""

    @abstractmethod
    def answer(self, envelope: Envelope, body: BodyT, result: ChatResult) -> Answer[AnswerT]:
        """The whole answer."""

    @abstractmethod
    def chunks(self, envelope: Envelope, body: BodyT) -> ChunkWriter[EventT]:
        """The writer of a streamed answer."""

    def costs(self, timing: Timing) -> Headers:
        """Headers of a whole answer that tell what it cost."""
        return cost_headers(timing)

    async def whole(self, body: BodyT, call: Call[Headers]) -> Answer[AnswerT]:
        service = self.service
        with (
            service.exchange(call.received_s) as exchange,
            exchange.permits("n", self.num_answers(body)),
        ):
            prepared = await self._prepare(body)
            result = await collect(prepared.outputs(), exchange.run(prepared.request))
            answer = await service.workers.write(
                result.usage.num_completion_tokens, self.answer, self._envelope(), body, result
            )
        call.respond_with(service.compute_headers(prepared.prompt_text))
        call.respond_with(self.costs(exchange.timing))
        return answer

    async def stream(self, body: BodyT, call: Call[Headers]) -> AsyncGenerator[EventT | EncodedEvent, None]:
        service = self.service
        with (
            service.exchange(call.received_s) as exchange,
            exchange.permits("n", self.num_answers(body)),
        ):
            prepared = await self._prepare(body)
            call.respond_with(service.compute_headers(prepared.prompt_text))
            outputs = prepared.outputs()
            chunks = self.chunks(self._envelope(), body)
            async with aclosing(exchange.run(prepared.request)) as tokens:
                async for token in tokens:
                    if (delta := outputs.feed(token)) is None:
                        continue
                    yield chunks.encode(delta)
            if self.wants_usage(body):
                yield chunks.usage(outputs.usage)

    async def _prepare(self, body: BodyT) -> PreparedChat:
        """In a thread unless it is short, since templates of other people's take their time."""
        return await self.service.workers.prepare(self._prepare_now, body)

    def _prepare_now(self, body: BodyT) -> PreparedChat:
        params = self.params(body)
        prepared = self.service.chat.prepare(params)
        self.service.limits.new_tokens(len(prepared.request.prompt_token_ids), params.max_tokens)
        return prepared

    def _envelope(self) -> Envelope:
        return Envelope.new(self.service.model, "chatcmpl")
