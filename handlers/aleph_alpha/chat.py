"""The operation `/chat/completions`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from uuid import uuid4

from generated.aleph_alpha import models as m
from generated.aleph_alpha.operations import NoHeaders
from generated.operation import Call, EncodedEvent
from handlers.aleph_alpha.chat_events import ChatEvents
from handlers.aleph_alpha.chat_request import chat_params, includes_usage, num_answers, num_logprobs
from handlers.aleph_alpha.chat_response import chat_choice, chat_logprobs, chat_usage
from handlers.aleph_alpha.errors import NotChatCapable
from handlers.aleph_alpha.service import Service
from handlers.chat.core import PreparedChat
from handlers.chat.reading.result import ChatChoice, ChatResult, collect
from handlers.wire.envelope import Envelope


class Chat:
    """Answers conversations. nice: whether other requests go first."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, body: m.ChatRequest, call: Call[NoHeaders], *, nice: bool) -> m.ChatCompletion:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits("n", num_answers(body)),
        ):
            prepared = await self._prepare(body, nice=nice)
            result = await collect(prepared.outputs(), exchange.run(prepared.request))
            num_tokens = result.usage.num_completion_tokens
            return await self._service.workers.write(num_tokens, self._response, body, result)

    async def stream(
        self, body: m.ChatRequest, call: Call[NoHeaders], *, nice: bool
    ) -> AsyncGenerator[m.ChatCompletionChunk | EncodedEvent, None]:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits("n", num_answers(body)),
        ):
            prepared = await self._prepare(body, nice=nice)
            outputs = prepared.outputs()
            chunks = self._events(body)
            async with aclosing(exchange.run(prepared.request)) as tokens:
                async for token in tokens:
                    if (delta := outputs.feed(token)) is None:
                        continue
                    for chunk in chunks.encode(delta):
                        yield chunk
            if includes_usage(body):
                yield chunks.usage(outputs.usage)

    async def _prepare(self, body: m.ChatRequest, *, nice: bool) -> PreparedChat:
        """In a thread unless it is short, since templates of other people's take their time."""
        self._service.model_names.check(body.model)
        if not self._service.chat.has_template:
            raise NotChatCapable
        return await self._service.workers.prepare(self._prepare_now, body, nice=nice)

    def _prepare_now(self, body: m.ChatRequest, *, nice: bool) -> PreparedChat:
        return self._service.chat.prepare(chat_params(body, nice=nice))

    def _response(self, body: m.ChatRequest, result: ChatResult) -> m.ChatCompletion:
        envelope = self._envelope()
        return m.ChatCompletion(
            id=envelope.id,
            choices=[chat_choice(choice, self._logprobs(body, choice)) for choice in result.choices],
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self._service.fingerprint,
            object="chat.completion",
            usage=chat_usage(result.usage),
        )

    def _logprobs(self, body: m.ChatRequest, choice: ChatChoice) -> m.ChatLogprobs | None:
        if num_logprobs(body) is None:
            return None
        return chat_logprobs(choice.answer_events, self._service.tokenizer)

    def _events(self, body: m.ChatRequest) -> ChatEvents:
        return ChatEvents(
            self._envelope(),
            self._service.fingerprint,
            self._service.tokenizer,
            shows_logprobs=num_logprobs(body) is not None,
        )

    def _envelope(self) -> Envelope:
        return Envelope(model=self._service.model_names.served, id=str(uuid4()))
