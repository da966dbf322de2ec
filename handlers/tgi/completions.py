"""The operation `/v1/completions`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from engine.request import GenerationRequest
from generated.operation import Call, EncodedEvent
from generated.tgi import models as m
from handlers.envelope import Envelope
from handlers.merge import merge
from handlers.sequences import GeneratedRequest
from handlers.tgi.completion_request import completion_requests, prompts_of
from handlers.tgi.completion_response import CompletionEvents, completion
from handlers.tgi.headers import Headers, cost_headers
from handlers.tgi.service import Service


class Completions:
    """Continues prompts."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, body: m.CompletionRequest, call: Call[Headers]) -> m.CompletionFinal:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits("prompt", len(prompts := prompts_of(body, self._service.limits))),
        ):
            requests = await self._read(body, prompts)
            generated = [GeneratedRequest() for _ in requests]
            async with aclosing(merge([exchange.run(request) for request in requests])) as tokens:
                async for index, token in tokens:
                    generated[index].add(token)
            answer = completion(self._envelope(), generated)
        call.respond_with({**self._service.compute_headers(*prompts), **cost_headers(exchange.timing)})
        return answer

    async def stream(
        self, body: m.CompletionRequest, call: Call[Headers]
    ) -> AsyncGenerator[m.Chunk | EncodedEvent, None]:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits("prompt", len(prompts := prompts_of(body, self._service.limits))),
        ):
            requests = await self._read(body, prompts)
            call.respond_with(self._service.compute_headers(*prompts))
            chunks = CompletionEvents(self._envelope())
            async with aclosing(merge([exchange.run(request) for request in requests])) as tokens:
                async for index, token in tokens:
                    yield chunks.encode(index, token)

    async def _read(self, body: m.CompletionRequest, prompts: tuple[str, ...]) -> list[GenerationRequest]:
        service = self._service
        return await service.workers.tokenize(
            sum(map(len, prompts)), completion_requests, body, prompts, service.limits, service.tokenizer
        )

    def _envelope(self) -> Envelope:
        return Envelope.new(self._service.model, "cmpl")
