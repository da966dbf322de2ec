"""The operation `/v1/chat/completions`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec.structs import replace

from engine.request import GenerationRequest
from generated.mindie import models as m
from generated.mindie.operations import NoHeaders
from generated.operation import Call, EncodedEvent
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.reading.result import collect
from handlers.mindie.chat_events import ChatEvents
from handlers.mindie.chat_request import chat_params, request_field
from handlers.mindie.chat_response import chat_completion
from handlers.mindie.counts import beams, counting_field, num_answers, num_logprobs, num_sequences
from handlers.mindie.rules import check_rules
from handlers.mindie.service import Service
from handlers.mindie.step_times import StepTimes
from handlers.mindie.usage import usage


class Chat:
    """Answers conversations."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, body: m.ChatRequest, call: Call[NoHeaders]) -> m.ChatCompletion:
        with self._service.exchange(call.received_s) as exchange:
            self._check(body)
            with exchange.permits(counting_field(body), num_sequences(body), beams(body)):
                prepared = await self._service.workers.prepare(self._prepare, body)
                result = await collect(prepared.outputs(), exchange.run(prepared.request))
            return await self._service.workers.write(
                result.usage.num_completion_tokens,
                chat_completion,
                self._service.envelope(),
                result,
                self._service.tokenizer,
                shows_logprobs=num_logprobs(body) is not None,
            )

    async def stream(
        self, body: m.ChatRequest, call: Call[NoHeaders]
    ) -> AsyncGenerator[m.ChatCompletionChunk | EncodedEvent, None]:
        with self._service.exchange(call.received_s) as exchange:
            self._check(body)
            with exchange.permits(counting_field(body), num_sequences(body), beams(body)):
                prepared = await self._service.workers.prepare(self._prepare, body)
                outputs = prepared.outputs()
                chunks, times = self._events(body), StepTimes(num_answers(body))
                num_running = num_answers(body)
                async with aclosing(exchange.run(prepared.request)) as tokens:
                    async for token in tokens:
                        times.add(token)
                        delta = outputs.feed(token)
                        if delta is None:
                            continue
                        if (piece := chunks.piece(delta)) is not None:
                            yield piece
                        if delta.finish is not None:
                            num_running -= 1
                            yield chunks.end(delta, None if num_running else usage(outputs.usage, times))

    def _check(self, body: m.ChatRequest) -> None:
        """What can be known before anything is computed."""
        self._service.model_names.check(body.model)
        check_rules(body)

    def _prepare(self, body: m.ChatRequest) -> PreparedChat:
        """To be called in a thread, since templates of other people's take their time."""
        try:
            prepared = self._service.chat.prepare(chat_params(body, self._service.vocab_size))
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        return replace(prepared, request=self._fitted(prepared.request))

    def _fitted(self, request: GenerationRequest) -> GenerationRequest:
        """With room for what it asks: the server's own bound of tokens holds if it is the smaller one."""
        room = self._service.room_after(len(request.prompt_token_ids))
        max_tokens = min(room, request.stopping.max_tokens)
        return replace(request, stopping=replace(request.stopping, max_tokens=max_tokens))

    def _events(self, body: m.ChatRequest) -> ChatEvents:
        return ChatEvents(
            self._service.envelope(),
            None if num_logprobs(body) is None else self._service.tokenizer,
            is_full_text=self._service.is_full_text,
        )
