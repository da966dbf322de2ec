"""The operation `/v1/responses`."""

from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import NamedTuple

from engine.events import TokenEvent
from generated.openai import models as m
from generated.openai.operations import CreateResponseHeaders
from generated.operation import Call
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.reading.delta import ChatDelta
from handlers.chat.reading.logprobs import scored_tokens
from handlers.chat.reading.output import ChatOutputs
from handlers.openai.responses.conversation import Conversation
from handlers.openai.responses.events import ResponseEvent, ResponseEvents
from handlers.openai.responses.logprobs import response_logprobs
from handlers.openai.responses.output import ResponseOutput
from handlers.openai.responses.request import (
    chat_params,
    check_rules,
    grammar_field,
    request_field,
    tells_logprobs,
)
from handlers.openai.responses.response import ResponseDraft
from handlers.openai.service import Service
from handlers.openai.token_ids import check_bias_ids
from handlers.runtime.problem import Problem
from handlers.service.exchange import Exchange


class _Answer(NamedTuple):
    """One answer while it is made."""

    draft: ResponseDraft
    output: ResponseOutput

    def ended(self, outputs: ChatOutputs) -> m.Response:
        return self.draft.ended(self.output.wire(), outputs.usage, is_cut=self.output.is_cut)


class Responses:
    """Answers items with items."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, body: m.CreateResponseRequest, call: Call[CreateResponseHeaders]) -> m.Response:
        answer = self._answer(body)
        with (
            self._service.exchange(call.received_s, "input", grammar_field(body)) as exchange,
            exchange.permits("input", 1),
        ):
            prepared = await self._prepare(body)
            outputs = prepared.outputs()
            async with aclosing(_deltas(prepared, outputs, exchange)) as deltas:
                async for delta in deltas:
                    deque(answer.output.feed(delta), maxlen=0)  # nobody is told of the steps
            return answer.ended(outputs)

    async def stream(
        self, body: m.CreateResponseRequest, call: Call[CreateResponseHeaders]
    ) -> AsyncGenerator[ResponseEvent, None]:
        answer, events = self._answer(body), ResponseEvents()
        try:
            async with aclosing(self._events(body, call.received_s, answer, events)) as told:
                async for event in told:
                    yield event
        except Problem as problem:
            if not events.has_begun:
                raise
            answer.output.break_off()
            yield events.end(answer.draft.failed(answer.output.wire(), problem))

    async def _events(
        self, body: m.CreateResponseRequest, received_s: float, answer: _Answer, events: ResponseEvents
    ) -> AsyncGenerator[ResponseEvent, None]:
        with (
            self._service.exchange(received_s, "input", grammar_field(body)) as exchange,
            exchange.permits("input", 1),
        ):
            prepared = await self._prepare(body)
            outputs = prepared.outputs()
            async with aclosing(_deltas(prepared, outputs, exchange)) as deltas:
                async for delta in deltas:
                    # Not earlier: a request that the engine refuses is answered with a status of its own.
                    if not events.has_begun:
                        for event in events.begin(answer.draft.in_progress()):
                            yield event
                    for event in events.tell(answer.output.feed(delta)):
                        yield event
            yield events.end(answer.ended(outputs))

    def _answer(self, body: m.CreateResponseRequest) -> _Answer:
        logprobs = self._logprobs if tells_logprobs(body) else None
        return _Answer(ResponseDraft(body, self._service.model_names.served), ResponseOutput(logprobs))

    def _logprobs(self, events: Sequence[TokenEvent]) -> list[m.ResponseLogprob]:
        return response_logprobs(scored_tokens(events, self._service.tokenizer))

    async def _prepare(self, body: m.CreateResponseRequest) -> PreparedChat:
        """In a thread unless it is short, since templates of other people's take their time."""
        self._service.model_names.check(body.model)
        return await self._service.workers.prepare(self._prepare_now, body)

    def _prepare_now(self, body: m.CreateResponseRequest) -> PreparedChat:
        check_rules(body)
        check_bias_ids(body.logit_bias, self._service.model_info.vocab_size)
        conversation = Conversation(body.instructions, body.input)
        try:
            return self._service.chat.prepare(chat_params(body, conversation))
        except ChatError as error:
            error.field = request_field(error.field, conversation)
            raise


async def _deltas(
    prepared: PreparedChat, outputs: ChatOutputs, exchange: Exchange
) -> AsyncGenerator[ChatDelta, None]:
    async with aclosing(exchange.run(prepared.request)) as tokens:
        async for token in tokens:
            delta = outputs.feed(token)
            if delta is not None:
                yield delta
