"""The operation `/v1/completions`."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from generated.openai import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.usage import ChatUsage
from handlers.concurrency.limit import Beams
from handlers.concurrency.merge import merge
from handlers.contracts.openai.answers.timings import RequestTimings
from handlers.contracts.openai.answers.usage import usage
from handlers.contracts.openai.completions.request import CompletionPlan, completion_plan, completion_requests
from handlers.contracts.openai.completions.response import CompletionEvents, PromptText, completion_choices
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.prompts import check_prompt_ids
from handlers.contracts.openai.response_format import check_no_response_format, grammar_field
from handlers.contracts.openai.sampling import check_named_ids, includes_usage, num_beams, shows_usage_so_far
from handlers.operations.sequences import GeneratedRequest, collect_merged
from handlers.served_model.envelope import Envelope
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import ToProblem
from verbatim_kit.runtime.operation import Call, EncodedEvent


def mapping_of(body: m.CreateCompletionRequest) -> ToProblem:
    """Return how errors of a request become problems."""
    return lambda error: to_problem(error, prompt_field="prompt", grammar_field=grammar_field(body))


class Completions:
    """Continues prompts."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared

    async def whole(self, body: m.CreateCompletionRequest, call: Call[Any]) -> m.CreateCompletionResponse:
        """Answer in one piece."""
        async with self._begin(body, call) as (active, plan, requests):
            tokens = merge([active.run(request) for request in requests])
            generated = await collect_merged(tokens, len(requests), plan.best_of)
            num_tokens = sum(one.num_tokens for one in generated)
            return await self._shared.workers.write(
                num_tokens, self._respond, body, plan, self.texts(plan, requests), generated
            )

    async def stream(
        self, body: m.CreateCompletionRequest, call: Call[Any]
    ) -> AsyncGenerator[m.CreateCompletionStreamResponse | EncodedEvent, None]:
        """Answer token by token."""
        async with self._begin(body, call) as (active, plan, requests):
            events = CompletionEvents(
                plan,
                self.texts(plan, requests),
                self.empty_chunk(body, self._shared.envelope("cmpl", body.request_id, plan.adapter)),
                self._shared.tokenizer,
                is_plain=not (shows_usage_so_far(body) or body.timings_per_token),
            )
            stream = _Stream(body, plan, events, len(requests))
            async with aclosing(merge([active.run(request) for request in requests])) as tokens:
                async for prompt, token in tokens:
                    yield stream.chunk(prompt, token)
            if includes_usage(body):
                yield stream.usage()

    @asynccontextmanager
    async def _begin(
        self, body: m.CreateCompletionRequest, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, CompletionPlan, Sequence[GenerationRequest]]]:
        """Check and prepare a request, which is active in the block; it has one of the engine's a prompt."""
        with self._shared.active_requests.open(call.received_s, mapping_of(body)) as active:
            plan = self.plan(body)
            with active.permits(plan.sequences_field, plan.num_sequences, Beams("n", num_beams(body))):
                yield active, plan, await self.prepare(body, plan)

    def plan(self, body: m.CreateCompletionRequest) -> CompletionPlan:
        """Check what can be checked without tokens. Raise Refused."""
        shared = self._shared
        adapter = shared.model_names.resolve(body.model).adapter
        if shared.settings.disable_grammar_support:
            check_no_response_format(body)
        check_named_ids(body, shared.model_info.vocab_size)
        check_prompt_ids(body.prompt, "prompt", shared.model_info.vocab_size)
        return completion_plan(body, adapter, can_infill=shared.infill is not None)

    async def prepare(
        self, body: m.CreateCompletionRequest, plan: CompletionPlan
    ) -> Sequence[GenerationRequest]:
        """Tokenize. Raise Refused, or from the tree of the engine's errors."""
        shared = self._shared
        return await shared.workers.tokenize(
            plan.num_characters,
            completion_requests,
            body,
            plan,
            shared.tokenizer,
            shared.model_info.max_total_tokens,
            shared.infill,
        )

    def _respond(
        self,
        body: m.CreateCompletionRequest,
        plan: CompletionPlan,
        texts: Sequence[PromptText],
        generated: Sequence[GeneratedRequest],
    ) -> m.CreateCompletionResponse:
        envelope = self._shared.envelope("cmpl", body.request_id, plan.adapter)
        response = self.written(envelope, plan, texts, generated, _counts(plan, generated))
        if body.timings_per_token:
            timings = RequestTimings(generates=plan.max_tokens > 0)
            for number, one in enumerate(generated):
                for sequence in one.sequences:
                    timings.add(sequence.events, number)
            response.timings = timings.write()
        return response

    def written(
        self,
        envelope: Envelope,
        plan: CompletionPlan,
        texts: Sequence[PromptText],
        generated: Sequence[GeneratedRequest],
        counts: ChatUsage,
    ) -> m.CreateCompletionResponse:
        """Return the whole answer, but for its times."""
        return m.CreateCompletionResponse(
            id=envelope.id,
            object="text_completion",
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self._shared.fingerprint,
            choices=completion_choices(plan, texts, generated, self._shared.tokenizer),
            usage=usage(counts),
        )

    def texts(self, plan: CompletionPlan, requests: Sequence[GenerationRequest]) -> list[PromptText]:
        """Return the prompts as text, those of token ids with their special tokens."""
        decode = self._shared.tokenizer.decode
        return [
            PromptText(
                prompt if isinstance(prompt, str) else decode(prompt, skip_special_tokens=False),
                request.prompt.token_ids,
            )
            for prompt, request in zip(plan.prompts, requests, strict=True)
        ]

    def empty_chunk(
        self, body: m.CreateCompletionRequest, envelope: Envelope
    ) -> m.CreateCompletionStreamResponse:
        """Return a chunk without choices."""
        chunk = m.CreateCompletionStreamResponse(
            id=envelope.id,
            object="text_completion",
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self._shared.fingerprint,
            choices=[],
        )
        if includes_usage(body):
            chunk.usage = None
        return chunk


class _Stream:
    """Writes the chunks of one streamed answer, with the counts and times that the client asked for."""

    def __init__(
        self,
        body: m.CreateCompletionRequest,
        plan: CompletionPlan,
        chunks: CompletionEvents,
        num_prompts: int,
    ) -> None:
        self._body = body
        self._plan = plan
        self._chunks = chunks
        self._num_completion_tokens = 0
        self._timings = RequestTimings(generates=plan.max_tokens > 0)
        self._generated = [GeneratedRequest(plan.best_of) for _ in range(num_prompts)]

    def chunk(self, prompt: int, event: TokenEvent) -> m.CreateCompletionStreamResponse | EncodedEvent:
        """Return the chunk of a token. prompt: the number of its prompt."""
        self._num_completion_tokens += 1 if self._plan.max_tokens else 0
        self._generated[prompt].add(event)
        chunk = self._chunks.encode(prompt, event)
        if isinstance(chunk, bytes):
            return chunk
        if shows_usage_so_far(self._body):
            chunk.usage = usage(self._counts_so_far())
        if self._body.timings_per_token:
            self._timings.add((event,), prompt)
            chunk.timings = self._timings.write()
        return chunk

    def usage(self) -> m.CreateCompletionStreamResponse:
        """Return the chunk that follows the last token's."""
        chunk = self._chunks.usage(_counts(self._plan, self._generated))
        if self._body.timings_per_token:
            chunk.timings = self._timings.write()
        return chunk

    def _counts_so_far(self) -> ChatUsage:
        """Return the counts of the prompts that have begun to be answered, and of their answers."""
        return ChatUsage(
            num_prompt_tokens=sum(one.num_prompt_tokens for one in self._generated),
            num_cached_tokens=sum(one.num_cached_tokens for one in self._generated),
            num_completion_tokens=self._num_completion_tokens,
        )


def _counts(plan: CompletionPlan, generated: Sequence[GeneratedRequest]) -> ChatUsage:
    """Return the counts of all prompts, and of all texts that were generated, whether shown or not."""
    num_generated = sum(len(one.events) for request in generated for one in request.sequences)
    return ChatUsage(
        num_prompt_tokens=sum(request.num_prompt_tokens for request in generated),
        num_cached_tokens=sum(request.num_cached_tokens for request in generated),
        num_completion_tokens=num_generated if plan.max_tokens else 0,
    )
