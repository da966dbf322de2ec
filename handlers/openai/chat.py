"""The operation `/v1/chat/completions`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from generated.openai import models as m
from generated.openai.operations import CreateChatCompletionHeaders
from generated.operation import Call, EncodedEvent
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.result import ChatResult, collect
from handlers.openai.chat_events import ChatEvents, empty_chunk
from handlers.openai.chat_request import chat_params, request_field
from handlers.openai.chat_response import ChatAnswer
from handlers.openai.formats import check_no_form, grammar_field
from handlers.openai.sampling import check_search, includes_usage
from handlers.openai.service import Service
from handlers.openai.token_ids import check_named_ids
from handlers.openai.usage import usage
from handlers.optional import given, given_or


class Chat:
    """Answers conversations."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(
        self, body: m.CreateChatCompletionRequest, call: Call[CreateChatCompletionHeaders]
    ) -> m.CreateChatCompletionResponse:
        with (
            self._service.exchange(call.received_s, "messages", grammar_field(body)) as exchange,
            exchange.permits("n", given_or(body.n, 1)),
        ):
            prepared = await self._prepare(body)
            return self._response(body, await collect(prepared.outputs(), exchange.run(prepared.request)))

    async def stream(
        self, body: m.CreateChatCompletionRequest, call: Call[CreateChatCompletionHeaders]
    ) -> AsyncGenerator[m.CreateChatCompletionStreamResponse | EncodedEvent, None]:
        with (
            self._service.exchange(call.received_s, "messages", grammar_field(body)) as exchange,
            exchange.permits("n", given_or(body.n, 1)),
        ):
            prepared = await self._prepare(body)
            outputs = prepared.outputs()
            chunks = self._events(body)
            async with aclosing(exchange.run(prepared.request)) as tokens:
                async for token in tokens:
                    delta = outputs.feed(token)
                    if delta is not None and (chunk := chunks.encode(delta)) is not None:
                        yield chunk
            if includes_usage(body):
                yield chunks.usage(outputs.usage)

    async def _prepare(self, body: m.CreateChatCompletionRequest) -> PreparedChat:
        """In a thread unless it is short, since templates of other people's take their time."""
        self._service.model_names.check(body.model)
        return await self._service.workers.prepare(self._prepare_now, body)

    def _prepare_now(self, body: m.CreateChatCompletionRequest) -> PreparedChat:
        if not self._service.allows_forms:
            check_no_form(body)
        check_named_ids(body, self._service.model_info.vocab_size)
        try:
            prepared = self._service.chat.prepare(chat_params(body))
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        check_search(body, prepared.request.sampling.grammar, grammar_field(body))
        return prepared

    def _response(
        self, body: m.CreateChatCompletionRequest, result: ChatResult
    ) -> m.CreateChatCompletionResponse:
        envelope = self._service.envelope("chatcmpl")
        answer = self._answer(body)
        response = m.CreateChatCompletionResponse(
            id=envelope.id,
            object="chat.completion",
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self._service.fingerprint,
            choices=[answer.choice(choice) for choice in result.choices],
            usage=usage(result.usage),
        )
        if given(body.service_tier) is not None:
            response.service_tier = "default"
        return response

    def _events(self, body: m.CreateChatCompletionRequest) -> ChatEvents:
        empty = empty_chunk(
            self._service.envelope("chatcmpl"),
            self._service.fingerprint,
            tells_usage=includes_usage(body),
            names_tier=given(body.service_tier) is not None,
        )
        return ChatEvents(self._answer(body), empty, shows_logprobs=body.logprobs is True)

    def _answer(self, body: m.CreateChatCompletionRequest) -> ChatAnswer:
        return ChatAnswer(
            self._service.tokenizer,
            body.stop_token_ids or (),
            shows_logprobs=body.logprobs is True,
            shows_reasoning=body.include_reasoning is not False,
        )
