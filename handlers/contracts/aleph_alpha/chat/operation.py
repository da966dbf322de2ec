"""The operation `/chat/completions`."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeAlias
from uuid import uuid4

from msgspec.structs import replace

from generated.aleph_alpha import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.reading.result import ChatChoice, ChatResult, collect_chat
from handlers.contracts.aleph_alpha.chat.events import ChatEvents
from handlers.contracts.aleph_alpha.chat.request import chat_params, includes_usage, num_answers, num_logprobs
from handlers.contracts.aleph_alpha.chat.response import chat_choice, chat_logprobs, chat_usage
from handlers.contracts.aleph_alpha.errors import NotChatCapable, to_problem
from handlers.contracts.aleph_alpha.nice import NiceRequest
from handlers.served_model.envelope import Envelope
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Call, EncodedEvent

_Request: TypeAlias = NiceRequest[m.ChatRequest]
_Event: TypeAlias = m.ChatCompletionChunk | EncodedEvent


class Chat:
    """Answers conversations."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared

    async def whole(self, request: _Request, call: Call[Any]) -> m.ChatCompletion:
        """Answer in one piece."""
        async with self._begin(request, call) as (active, prepared):
            result = await collect_chat(prepared.outputs(), active.run(prepared.request))
            return await self._shared.workers.write(
                result.usage.num_completion_tokens, self._answer, request.body, result
            )

    async def stream(self, request: _Request, call: Call[Any]) -> AsyncGenerator[_Event, None]:
        """Answer token by token."""
        async with self._begin(request, call) as (active, prepared):
            outputs = prepared.outputs()
            chunks = ChatEvents(
                self._envelope(),
                self._shared.fingerprint,
                self._shared.tokenizer,
                shows_logprobs=num_logprobs(request.body) is not None,
            )
            async with aclosing(active.run(prepared.request)) as tokens:
                async for token in tokens:
                    if (delta := outputs.feed(token)) is not None:
                        for chunk in chunks.encode(delta):
                            yield chunk
            if includes_usage(request.body):
                yield chunks.usage(outputs.usage)

    @asynccontextmanager
    async def _begin(
        self, request: _Request, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, PreparedChat]]:
        """Check and prepare a request, which is active in the block."""
        shared, (body, nice) = self._shared, request
        with (
            shared.active_requests.open(call.received_s, to_problem) as active,
            active.permits("n", num_answers(body)),
        ):
            adapter = shared.model_names.resolve(body.model).adapter
            if not shared.chat.has_template:
                raise NotChatCapable
            yield active, await shared.workers.prepare(self._prepare, body, adapter, nice=nice)

    def _prepare(self, body: m.ChatRequest, adapter: str | None, *, nice: bool) -> PreparedChat:
        return self._shared.chat.prepare(replace(chat_params(body, nice=nice), adapter=adapter))

    def _answer(self, body: m.ChatRequest, result: ChatResult) -> m.ChatCompletion:
        envelope = self._envelope()
        return m.ChatCompletion(
            id=envelope.id,
            choices=[chat_choice(choice, self._logprobs(body, choice)) for choice in result.choices],
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self._shared.fingerprint,
            object="chat.completion",
            usage=chat_usage(result.usage),
        )

    def _logprobs(self, body: m.ChatRequest, choice: ChatChoice) -> m.ChatLogprobs | None:
        if num_logprobs(body) is None:
            return None
        return chat_logprobs(choice.answer_events, self._shared.tokenizer)

    def _envelope(self) -> Envelope:
        return Envelope(model=self._shared.model_names.served, id=str(uuid4()))
