"""Conversations, answered whole or in pieces, for every contract whose answers are choices."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Protocol, TypeVar

from typing_extensions import override

from engine.port.events import TokenEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.delta import ChatDelta
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.reading.result import ChatResult, collect_chat
from handlers.chat.usage import ChatUsage
from handlers.operations.operation import GeneratingOperation, StreamWriter

BodyT = TypeVar("BodyT")
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")
EventT_co = TypeVar("EventT_co", covariant=True)


class ChatOperation(GeneratingOperation[BodyT, BodyT, PreparedChat, ChatResult, AnswerT, EventT]):
    """One operation that answers conversations. Its plan is the request, checked."""

    @override
    def plan(self, body: BodyT, *, is_stream: bool) -> BodyT:
        return body

    @override
    async def collect(self, active: ActiveRequest, plan: BodyT, prepared: PreparedChat) -> ChatResult:
        return await collect_chat(prepared.outputs(), active.run(prepared.request))

    @override
    def num_tokens(self, result: ChatResult) -> int:
        return result.usage.num_completion_tokens

    @override
    def tokens(self, active: ActiveRequest, prepared: PreparedChat) -> AsyncGenerator[TokenEvent, None]:
        return active.run(prepared.request)


class ChunkWriter(Protocol[EventT_co]):
    """Writes the chunks of one streamed answer."""

    def encode(self, delta: ChatDelta) -> EventT_co | None:
        """Return the chunk of what an answer gains; None where there is nothing to show."""

    def usage(self, counts: ChatUsage) -> EventT_co:
        """Return the chunk that follows the last choice, where the client asked for it."""


class ChatWriter(StreamWriter[EventT]):
    """Writes a stream with at most one chunk for what an answer gains at once."""

    def __init__(self, outputs: ChatOutputs, chunks: ChunkWriter[EventT], *, includes_usage: bool) -> None:
        self._outputs = outputs
        self._chunks = chunks
        self._includes_usage = includes_usage

    @override
    def feed(self, token: TokenEvent) -> Iterable[EventT]:
        delta = self._outputs.feed(token)
        if delta is None:
            return ()
        chunk = self._chunks.encode(delta)
        return () if chunk is None else (chunk,)

    @override
    def end(self) -> Iterable[EventT]:
        return (self._chunks.usage(self._outputs.usage),) if self._includes_usage else ()


async def deltas(
    outputs: ChatOutputs, events: AsyncGenerator[TokenEvent, None]
) -> AsyncGenerator[ChatDelta, None]:
    """Yield what the answers gain while the events arrive; closing this closes the events."""
    async with aclosing(events):
        async for event in events:
            if (delta := outputs.feed(event)) is not None:
                yield delta
