"""The operation `/complete`."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from engine.request import GenerationRequest
from generated.aleph_alpha import models as m
from generated.aleph_alpha.operations import NoHeaders
from generated.operation import Call, EncodedEvent
from handlers.aleph_alpha.completion_events import CompletionEvents
from handlers.aleph_alpha.completion_request import CompletionPlan, completion_plan, completion_request
from handlers.aleph_alpha.completion_writer import CompletionWriter
from handlers.aleph_alpha.prompts import num_characters
from handlers.aleph_alpha.service import Service
from handlers.service.sequences import GeneratedRequest, GeneratedSequence, collect

Event = m.StreamChunk | m.StreamSummary | m.CompletionSummary | EncodedEvent


class Completions:
    """Continues prompts. nice: whether other requests go first."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(
        self, body: m.CompletionRequest, call: Call[NoHeaders], *, nice: bool
    ) -> m.CompletionResponse:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits((plan := self._plan(body)).sequences_field, plan.best_of),
        ):
            request = await self._read(body, plan, nice=nice)
            generated = await collect(exchange.run(request), plan.best_of)
            writer = self._writer(body, plan, request)
            return await self._service.workers.write(
                generated.num_tokens, self._response, plan, writer, generated
            )

    async def stream(
        self, body: m.CompletionRequest, call: Call[NoHeaders], *, nice: bool
    ) -> AsyncGenerator[Event, None]:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits((plan := self._plan(body)).sequences_field, plan.best_of),
        ):
            request = await self._read(body, plan, nice=nice)
            events = CompletionEvents(self._writer(body, plan, request), self._service.model_version)
            num_generated = 0
            async with aclosing(exchange.run(request)) as tokens:
                async for token in tokens:
                    num_generated += 1
                    for event in events.encode(token):
                        yield event
            yield m.CompletionSummary(
                type="completion_summary",
                num_tokens_prompt_total=len(request.prompt_token_ids) * plan.best_of,
                num_tokens_generated=num_generated if plan.generates else 0,
            )

    def _plan(self, body: m.CompletionRequest) -> CompletionPlan:
        self._service.model_names.check(body.model)
        return completion_plan(body)

    async def _read(
        self, body: m.CompletionRequest, plan: CompletionPlan, *, nice: bool
    ) -> GenerationRequest:
        return await self._service.workers.tokenize(
            num_characters(body.prompt),
            completion_request,
            body,
            plan,
            self._service.tokenizer,
            self._service.model_info.max_total_tokens,
            nice=nice,
        )

    def _writer(
        self, body: m.CompletionRequest, plan: CompletionPlan, request: GenerationRequest
    ) -> CompletionWriter:
        tokenizer = self._service.tokenizer
        token_ids = request.prompt_token_ids
        text = body.prompt
        if not isinstance(text, str):
            text = tokenizer.decode(token_ids, skip_special_tokens=False)
        return CompletionWriter(plan, token_ids, text, tokenizer)

    def _response(
        self, plan: CompletionPlan, writer: CompletionWriter, generated: GeneratedRequest
    ) -> m.CompletionResponse:
        sequences = generated.sequences
        num_generated = sum(len(sequence.events) for sequence in sequences)
        if plan.best_of > plan.n:
            sequences = sorted(sequences, key=lambda one: one.mean_logprob, reverse=True)[: plan.n]
        return m.CompletionResponse(
            completions=[_result(place, writer, one, generated) for place, one in enumerate(sequences)],
            model_version=self._service.model_version,
            num_tokens_prompt_total=generated.num_prompt_tokens * plan.best_of,
            num_tokens_generated=num_generated if plan.generates else 0,
        )


def _result(
    index: int, writer: CompletionWriter, sequence: GeneratedSequence, generated: GeneratedRequest
) -> m.CompletionResult:
    result = m.CompletionResult(
        index=index, completion="", finish_reason=writer.finish_reason(sequence.finish)
    )
    writer.fill(result, sequence.events, generated.prompt)
    return result
