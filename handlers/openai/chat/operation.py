"""The operation `/v1/chat/completions`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from generated.openai import models as m
from generated.openai.operations import CreateChatCompletionHeaders
from generated.operation import Answer, Call, EncodedEvent
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.reading.result import ChatResult, collect
from handlers.concurrency.limit import Beams
from handlers.openai.chat.events import ChatEvents, empty_chunk
from handlers.openai.chat.request import chat_params, request_field
from handlers.openai.chat.response import ChatAnswer, chat_completion
from handlers.openai.formats import check_no_form, grammar_field
from handlers.openai.sampling import check_search, includes_usage, num_beams
from handlers.openai.service import Service
from handlers.openai.token_ids import check_named_ids
from handlers.wire.missing import given, given_or
from handlers.wire.plain_answer import PlainAnswers


class Chat:
    """Answers conversations."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._write = partial(chat_completion, fingerprint=service.fingerprint)
        answer = ChatAnswer(service.tokenizer, (), shows_logprobs=False, shows_reasoning=True)
        self._plain = PlainAnswers(partial(self._write, answer=answer))

    async def whole(
        self, body: m.CreateChatCompletionRequest, call: Call[CreateChatCompletionHeaders]
    ) -> Answer[m.CreateChatCompletionResponse]:
        with (
            self._service.exchange(call.received_s, "messages", grammar_field(body)) as exchange,
            exchange.permits("n", given_or(body.n, 1), Beams("n", num_beams(body))),
        ):
            prepared = await self._prepare(body)
            result = await collect(prepared.outputs(), exchange.run(prepared.request))
            num_tokens = result.usage.num_completion_tokens
            return await self._service.workers.write(num_tokens, self._response, body, result)

    async def stream(
        self, body: m.CreateChatCompletionRequest, call: Call[CreateChatCompletionHeaders]
    ) -> AsyncGenerator[m.CreateChatCompletionStreamResponse | EncodedEvent, None]:
        with (
            self._service.exchange(call.received_s, "messages", grammar_field(body)) as exchange,
            exchange.permits("n", given_or(body.n, 1), Beams("n", num_beams(body))),
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
    ) -> Answer[m.CreateChatCompletionResponse]:
        envelope = self._service.envelope("chatcmpl")
        if not _shapes_answers(body):
            return self._plain(envelope, result)
        response = self._write(envelope, result, answer=self._answer(body))
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


def _shapes_answers(body: m.CreateChatCompletionRequest) -> bool:
    """Whether the request asks for what not every answer tells, or leaves out what others do."""
    return bool(
        body.logprobs
        or body.stop_token_ids
        or body.include_reasoning is False
        or given(body.service_tier) is not None
    )
