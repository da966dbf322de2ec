"""The operation `/v1/messages`."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from secrets import token_hex

from msgspec.structs import replace

from generated.anthropic import models as m
from generated.anthropic.operations import CreateMessageHeaders
from generated.operation import Call
from handlers.anthropic import events
from handlers.anthropic.answer import Answer
from handlers.anthropic.draft import MessageDraft
from handlers.anthropic.events import MessageEvent
from handlers.anthropic.request import hides_thoughts
from handlers.anthropic.service import Service
from handlers.chat.core import PreparedChat
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.usage import ChatUsage


class Messages:
    """Answers conversations."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, body: m.MessageCreateParams, call: Call[CreateMessageHeaders]) -> m.Message:
        answer = Answer(hides_thoughts=hides_thoughts(body))
        with (
            self._service.exchange(call.received_s, body) as exchange,
            exchange.permits("messages", 1),
        ):
            prepared = await self._service.prepare(body)
            outputs = _outputs(prepared)
            async with aclosing(exchange.run(prepared.request)) as tokens:
                async for token in tokens:
                    delta = outputs.feed(token)
                    if delta is not None and body.max_tokens:
                        deque(answer.feed(delta), maxlen=0)  # nobody is told of the steps
            return self._draft(body, prepared).ended(answer, _counts(outputs, body))

    async def stream(
        self, body: m.MessageCreateParams, call: Call[CreateMessageHeaders]
    ) -> AsyncGenerator[MessageEvent, None]:
        answer = Answer(hides_thoughts=hides_thoughts(body))
        with (
            self._service.exchange(call.received_s, body) as exchange,
            exchange.permits("messages", 1),
        ):
            prepared = await self._service.prepare(body)
            outputs, draft = _outputs(prepared), self._draft(body, prepared)
            has_begun = False
            async with aclosing(exchange.run(prepared.request)) as tokens:
                async for token in tokens:
                    delta = outputs.feed(token)
                    # Not earlier: a request that the engine refuses is answered with a status of its own.
                    if not has_begun:
                        has_begun = True
                        for event in events.begin(draft.begun(_counts(outputs, body))):
                            yield event
                    if delta is None or not body.max_tokens:
                        continue
                    for step in answer.feed(delta):
                        for event in events.tell(step):
                            yield event
            counts = _counts(outputs, body)
            for event in events.end(draft.ended(answer, counts), counts):
                yield event

    def _draft(self, body: m.MessageCreateParams, prepared: PreparedChat) -> MessageDraft:
        max_tokens = prepared.request.stopping.max_tokens
        return MessageDraft(self._service.model_names.served, has_room=max_tokens >= body.max_tokens)


def _outputs(prepared: PreparedChat) -> ChatOutputs:
    return ChatOutputs(prepared.answer_format, 1, lambda _: f"toolu_{token_hex(12)}")


def _counts(outputs: ChatOutputs, body: m.MessageCreateParams) -> ChatUsage:
    """The token that the engine makes where none is asked for is not told of."""
    if body.max_tokens:
        return outputs.usage
    return replace(outputs.usage, num_completion_tokens=0, num_reasoning_tokens=0)
