"""The operation `/complete`."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from typing_extensions import override

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from generated.aleph_alpha import models as m
from generated.operation import EncodedEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.aleph_alpha.completions.events import CompletionEvents
from handlers.aleph_alpha.completions.request import CompletionPlan, completion_plan, completion_request
from handlers.aleph_alpha.completions.writer import CompletionWriter
from handlers.aleph_alpha.errors import to_problem
from handlers.aleph_alpha.models import model_version
from handlers.aleph_alpha.nice import NiceRequest
from handlers.aleph_alpha.prompts import num_characters
from handlers.concurrency.limit import HeldPermits
from handlers.operations.operation import StreamWriter
from handlers.operations.sequences import GeneratedRequest, GeneratedSequence
from handlers.operations.sequences_operation import SequencesOperation
from handlers.served_model.served_model import ServedModel

_Request: TypeAlias = NiceRequest[m.CompletionRequest]
_Event: TypeAlias = m.StreamChunk | m.StreamSummary | m.CompletionSummary | EncodedEvent


class _Planned(NamedTuple):
    request: _Request
    plan: CompletionPlan
    adapter: str | None


class Completions(SequencesOperation[_Request, _Planned, m.CompletionResponse, _Event]):
    """Continues prompts."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared, to_problem)
        self._model_version = model_version(shared)

    @override
    def plan(self, request: _Request, *, is_stream: bool) -> _Planned:
        adapter = self.shared.model_names.resolve(request.body.model).adapter
        return _Planned(request, completion_plan(request.body), adapter)

    @override
    def permits(self, active: ActiveRequest, plan: _Planned) -> HeldPermits:
        return active.permits(plan.plan.sequences_field, plan.plan.best_of)

    @override
    async def prepare(self, plan: _Planned) -> GenerationRequest:
        body, nice = plan.request
        return await self.shared.workers.tokenize(
            num_characters(body.prompt),
            completion_request,
            body,
            plan.plan,
            self.shared.tokenizer,
            self.shared.model_info.max_total_tokens,
            nice=nice,
            adapter=plan.adapter,
        )

    @override
    def answer(
        self, plan: _Planned, prepared: GenerationRequest, result: GeneratedRequest
    ) -> m.CompletionResponse:
        own, writer = plan.plan, self._completion_writer(plan, prepared)
        sequences = result.sequences
        num_generated = sum(len(sequence.events) for sequence in sequences)
        if own.best_of > own.n:
            sequences = sorted(sequences, key=lambda one: one.mean_logprob, reverse=True)[: own.n]
        return m.CompletionResponse(
            completions=[_result(place, writer, one, result) for place, one in enumerate(sequences)],
            model_version=self._model_version,
            num_tokens_prompt_total=result.num_prompt_tokens * own.best_of,
            num_tokens_generated=num_generated if own.generates else 0,
        )

    @override
    def writer(self, plan: _Planned, prepared: GenerationRequest) -> "_Writer":
        events = CompletionEvents(self._completion_writer(plan, prepared), self._model_version)
        return _Writer(events, plan.plan, len(prepared.prompt.token_ids))

    def _completion_writer(self, plan: _Planned, request: GenerationRequest) -> CompletionWriter:
        tokenizer = self.shared.tokenizer
        token_ids = request.prompt.token_ids
        text = plan.request.body.prompt
        if not isinstance(text, str):
            text = tokenizer.decode(token_ids, skip_special_tokens=False)
        return CompletionWriter(plan.plan, token_ids, text, tokenizer)


class _Writer(StreamWriter[_Event]):
    def __init__(self, events: CompletionEvents, plan: CompletionPlan, num_prompt_tokens: int) -> None:
        self._events = events
        self._plan = plan
        self._num_prompt_tokens = num_prompt_tokens
        self._num_generated = 0

    @override
    def feed(self, token: TokenEvent) -> Iterable[_Event]:
        self._num_generated += 1
        return self._events.encode(token)

    @override
    def end(self) -> Iterable[_Event]:
        summary = m.CompletionSummary(
            type="completion_summary",
            num_tokens_prompt_total=self._num_prompt_tokens * self._plan.best_of,
            num_tokens_generated=self._num_generated if self._plan.generates else 0,
        )
        return (summary,)


def _result(
    index: int, writer: CompletionWriter, sequence: GeneratedSequence, generated: GeneratedRequest
) -> m.CompletionResult:
    result = m.CompletionResult(
        index=index, completion="", finish_reason=writer.finish_reason(sequence.finish)
    )
    writer.fill(result, sequence.events, generated.prompt)
    return result
