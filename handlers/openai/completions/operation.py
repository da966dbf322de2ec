"""The operation `/v1/completions`."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from typing_extensions import override

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from generated.openai import models as m
from generated.operation import EncodedEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.usage import ChatUsage
from handlers.concurrency.limit import Beams, HeldPermits
from handlers.errors import ToProblem
from handlers.openai.answers.timings import RequestTimings
from handlers.openai.answers.usage import usage
from handlers.openai.completions.request import CompletionPlan, completion_plan, completion_requests
from handlers.openai.completions.response import CompletionEvents, PromptText, completion_choices
from handlers.openai.errors import to_problem
from handlers.openai.formats import check_no_form, grammar_field
from handlers.openai.prompts import check_prompt_ids
from handlers.openai.sampling import check_named_ids, includes_usage, num_beams, shows_usage_so_far
from handlers.operations.merged_operation import MergedOperation
from handlers.operations.operation import StreamWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.served_model.served_model import ServedModel


class _Planned(NamedTuple):
    body: m.CreateCompletionRequest
    plan: CompletionPlan


class Completions(
    MergedOperation[
        m.CreateCompletionRequest,
        _Planned,
        m.CreateCompletionResponse,
        m.CreateCompletionStreamResponse | EncodedEvent,
    ]
):
    """Continues prompts."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared, partial(to_problem, prompt_field="prompt"))

    @override
    def mapping(self, body: m.CreateCompletionRequest) -> ToProblem:
        return lambda error: to_problem(error, prompt_field="prompt", grammar_field=grammar_field(body))

    @override
    def plan(self, body: m.CreateCompletionRequest, *, is_stream: bool) -> _Planned:
        adapter = self.shared.model_names.resolve(body.model).adapter
        if self.shared.settings.disable_grammar_support:
            check_no_form(body)
        check_named_ids(body, self.shared.model_info.vocab_size)
        check_prompt_ids(body.prompt, "prompt", self.shared.model_info.vocab_size)
        can_infill = self.shared.infill is not None
        return _Planned(body, completion_plan(body, adapter, can_infill=can_infill))

    @override
    def permits(self, active: ActiveRequest, plan: _Planned) -> HeldPermits:
        body, own = plan
        return active.permits(own.sequences_field, own.num_sequences, Beams("n", num_beams(body)))

    @override
    async def prepare(self, plan: _Planned) -> Sequence[GenerationRequest]:
        return await self.shared.workers.tokenize(
            plan.plan.num_characters,
            completion_requests,
            plan.body,
            plan.plan,
            self.shared.tokenizer,
            self.shared.model_info.max_total_tokens,
            self.shared.infill,
        )

    @override
    def answer(
        self,
        plan: _Planned,
        prepared: Sequence[GenerationRequest],
        result: Sequence[GeneratedRequest],
    ) -> m.CreateCompletionResponse:
        envelope = self.shared.envelope("cmpl", plan.body.request_id, plan.plan.adapter)
        texts = self._texts(plan.plan, prepared)
        response = m.CreateCompletionResponse(
            id=envelope.id,
            object="text_completion",
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self.shared.fingerprint,
            choices=completion_choices(plan.plan, texts, result, self.shared.tokenizer),
            usage=usage(_counts(plan.plan, result)),
        )
        if plan.body.timings_per_token:
            timings = RequestTimings(generates=plan.plan.max_tokens > 0)
            for number, generated in enumerate(result):
                for sequence in generated.sequences:
                    timings.add(sequence.events, number)
            response.timings = timings.write()
        return response

    @override
    def writer(self, plan: _Planned, prepared: Sequence[GenerationRequest]) -> "_Writer":
        texts = self._texts(plan.plan, prepared)
        chunks = CompletionEvents(
            plan.plan,
            texts,
            self._empty_chunk(plan),
            self.shared.tokenizer,
            is_plain=not (shows_usage_so_far(plan.body) or plan.body.timings_per_token),
        )
        return _Writer(plan, chunks, len(prepared))

    def _texts(self, plan: CompletionPlan, requests: Sequence[GenerationRequest]) -> list[PromptText]:
        """Return the prompts as text, those of token ids with their special tokens."""
        decode = self.shared.tokenizer.decode
        return [
            PromptText(
                prompt if isinstance(prompt, str) else decode(prompt, skip_special_tokens=False),
                request.prompt.token_ids,
            )
            for prompt, request in zip(plan.prompts, requests, strict=True)
        ]

    def _empty_chunk(self, plan: _Planned) -> m.CreateCompletionStreamResponse:
        body = plan.body
        envelope = self.shared.envelope("cmpl", body.request_id, plan.plan.adapter)
        chunk = m.CreateCompletionStreamResponse(
            id=envelope.id,
            object="text_completion",
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self.shared.fingerprint,
            choices=[],
        )
        if includes_usage(body):
            chunk.usage = None
        return chunk


class _Writer(StreamWriter[m.CreateCompletionStreamResponse | EncodedEvent]):
    def __init__(self, plan: _Planned, chunks: CompletionEvents, num_prompts: int) -> None:
        self._plan = plan
        self._chunks = chunks
        self._num_completion_tokens = 0
        self._timings = RequestTimings(generates=plan.plan.max_tokens > 0)
        self._generated = [GeneratedRequest(plan.plan.best_of) for _ in range(num_prompts)]

    @override
    def feed(
        self, token: tuple[int, TokenEvent]
    ) -> Iterable[m.CreateCompletionStreamResponse | EncodedEvent]:
        prompt, event = token
        generated = self._generated[prompt]
        self._num_completion_tokens += 1 if self._plan.plan.max_tokens else 0
        generated.add(event)
        chunk = self._chunks.encode(prompt, event)
        if isinstance(chunk, bytes):
            return (chunk,)
        if shows_usage_so_far(self._plan.body):
            chunk.usage = usage(self._counts_so_far())
        if self._plan.body.timings_per_token:
            self._timings.add((event,), prompt)
            chunk.timings = self._timings.write()
        return (chunk,)

    def _counts_so_far(self) -> ChatUsage:
        """Return the counts of the prompts that have begun to be answered, and of their answers."""
        return ChatUsage(
            num_prompt_tokens=sum(one.num_prompt_tokens for one in self._generated),
            num_cached_tokens=sum(one.num_cached_tokens for one in self._generated),
            num_completion_tokens=self._num_completion_tokens,
        )

    @override
    def end(self) -> Iterable[m.CreateCompletionStreamResponse | EncodedEvent]:
        body, plan = self._plan
        if not includes_usage(body):
            return ()
        chunk = self._chunks.usage(_counts(plan, self._generated))
        if body.timings_per_token:
            chunk.timings = self._timings.write()
        return (chunk,)


def _counts(plan: CompletionPlan, generated: Sequence[GeneratedRequest]) -> ChatUsage:
    """Return the counts of all prompts, and of all texts that were generated, whether shown or not."""
    num_generated = sum(len(one.events) for request in generated for one in request.sequences)
    return ChatUsage(
        num_prompt_tokens=sum(request.num_prompt_tokens for request in generated),
        num_cached_tokens=sum(request.num_cached_tokens for request in generated),
        num_completion_tokens=num_generated if plan.max_tokens else 0,
    )
