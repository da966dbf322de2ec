"""The operation `/complete`."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeAlias

from engine.port.request import GenerationRequest
from generated.aleph_alpha import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.contracts.aleph_alpha.completions.events import CompletionEvents
from handlers.contracts.aleph_alpha.completions.request import (
    CompletionPlan,
    completion_plan,
    completion_request,
)
from handlers.contracts.aleph_alpha.completions.writer import CompletionWriter
from handlers.contracts.aleph_alpha.errors import to_problem
from handlers.contracts.aleph_alpha.models import model_version
from handlers.contracts.aleph_alpha.nice import NiceRequest
from handlers.contracts.aleph_alpha.prompts import num_characters
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence, collect_sequences
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Call, EncodedEvent

_Request: TypeAlias = NiceRequest[m.CompletionRequest]
_Event: TypeAlias = m.StreamChunk | m.StreamSummary | m.CompletionSummary | EncodedEvent


class Completions:
    """Continues prompts."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared
        self._model_version = model_version(shared)

    async def whole(self, request: _Request, call: Call[Any]) -> m.CompletionResponse:
        """Answer in one piece."""
        async with self._begin(request, call) as (active, plan, prepared):
            generated = await collect_sequences(active.run(prepared), prepared.num_sequences)
            return await self._shared.workers.write(
                generated.num_tokens, self._answer, request, plan, prepared, generated
            )

    async def stream(self, request: _Request, call: Call[Any]) -> AsyncGenerator[_Event, None]:
        """Answer token by token, with a summary at the end."""
        async with self._begin(request, call) as (active, plan, prepared):
            events = CompletionEvents(self._writer(request, plan, prepared), self._model_version)
            num_generated = 0
            async with aclosing(active.run(prepared)) as tokens:
                async for token in tokens:
                    num_generated += 1
                    for event in events.encode(token):
                        yield event
            yield m.CompletionSummary(
                type="completion_summary",
                num_tokens_prompt_total=len(prepared.prompt.token_ids) * plan.best_of,
                num_tokens_generated=num_generated if plan.generates else 0,
            )

    @asynccontextmanager
    async def _begin(
        self, request: _Request, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, CompletionPlan, GenerationRequest]]:
        """Check and prepare a request, which is active in the block."""
        shared, (body, nice) = self._shared, request
        with shared.active_requests.open(call.received_s, to_problem) as active:
            adapter = shared.model_names.resolve(body.model).adapter
            plan = completion_plan(body)
            with active.permits(plan.sequences_field, plan.best_of):
                prepared = await shared.workers.tokenize(
                    num_characters(body.prompt),
                    completion_request,
                    body,
                    plan,
                    shared.tokenizer,
                    shared.model_info.max_total_tokens,
                    nice=nice,
                    adapter=adapter,
                )
                yield active, plan, prepared

    def _answer(
        self,
        request: _Request,
        plan: CompletionPlan,
        prepared: GenerationRequest,
        generated: GeneratedRequest,
    ) -> m.CompletionResponse:
        writer = self._writer(request, plan, prepared)
        sequences = generated.sequences
        num_generated = sum(len(sequence.events) for sequence in sequences)
        if plan.best_of > plan.n:
            sequences = sorted(sequences, key=lambda one: one.mean_logprob, reverse=True)[: plan.n]
        return m.CompletionResponse(
            completions=[_result(index, writer, one, generated) for index, one in enumerate(sequences)],
            model_version=self._model_version,
            num_tokens_prompt_total=generated.num_prompt_tokens * plan.best_of,
            num_tokens_generated=num_generated if plan.generates else 0,
        )

    def _writer(
        self, request: _Request, plan: CompletionPlan, prepared: GenerationRequest
    ) -> CompletionWriter:
        tokenizer = self._shared.tokenizer
        token_ids = prepared.prompt.token_ids
        text = request.body.prompt
        if not isinstance(text, str):
            text = tokenizer.decode(token_ids, skip_special_tokens=False)
        return CompletionWriter(plan, token_ids, text, tokenizer)


def _result(
    index: int, writer: CompletionWriter, sequence: GeneratedSequence, generated: GeneratedRequest
) -> m.CompletionResult:
    result = m.CompletionResult(
        index=index, completion="", finish_reason=writer.finish_reason(sequence.finish)
    )
    writer.fill(result, sequence.events, generated.prompt)
    return result
