"""The operation `/v1/chat/completions`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from generated.operation import Call, EncodedEvent
from generated.tgi import models as m
from handlers.chat.core import PreparedChat
from handlers.chat.result import collect, deltas_of
from handlers.envelope import Envelope
from handlers.tgi.chat_events import ChatEvents
from handlers.tgi.chat_request import chat_params, max_tokens
from handlers.tgi.chat_response import chat_completion
from handlers.tgi.headers import Headers, compute_time_header, cost_headers
from handlers.tgi.service import Service


class Chat:
    """Answers conversations."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, body: m.ChatRequest, call: Call[Headers]) -> m.ChatCompletion:
        with self._service.exchange(call.received_s) as exchange, exchange.permits("n", body.n or 1):
            prepared = await self._prepare(body)
            result = await collect(prepared.outputs(), exchange.run(prepared.request))
            answer = chat_completion(self._envelope(), result, with_logprobs=body.logprobs is True)
        call.respond_with(self._service.compute_headers(prepared.prompt_text))
        call.respond_with({**cost_headers(exchange.timing), **compute_time_header(exchange.timing)})
        return answer

    async def stream(
        self, body: m.ChatRequest, call: Call[Headers]
    ) -> AsyncGenerator[m.ChatCompletionChunk | EncodedEvent, None]:
        with self._service.exchange(call.received_s) as exchange, exchange.permits("n", body.n or 1):
            prepared = await self._prepare(body)
            call.respond_with(self._service.compute_headers(prepared.prompt_text))
            outputs = prepared.outputs()
            chunks = ChatEvents(self._envelope(), with_logprobs=body.logprobs is True)
            async with aclosing(deltas_of(outputs, exchange.run(prepared.request))) as deltas:
                async for delta in deltas:
                    yield chunks.encode(delta)
            if body.stream_options is not None and body.stream_options.include_usage:
                yield chunks.usage(outputs.usage)

    async def _prepare(self, body: m.ChatRequest) -> PreparedChat:
        """In a thread, since templates of other people's take their time."""
        return await self._service.workers.run(self._prepare_now, body)

    def _prepare_now(self, body: m.ChatRequest) -> PreparedChat:
        limits = self._service.limits
        prepared = self._service.chat.prepare(chat_params(body, limits))
        limits.new_tokens(len(prepared.request.prompt_token_ids), max_tokens(body))
        return prepared

    def _envelope(self) -> Envelope:
        return Envelope.new(self._service.model, "chatcmpl")
