"""The operation `/v1/completions`."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from engine.request import GenerationRequest
from generated.openai import models as m
from generated.openai.operations import CreateCompletionHeaders
from generated.operation import Call, EncodedEvent
from handlers.chat.usage import ChatUsage
from handlers.concurrency.limit import Beams, HeldPermits
from handlers.concurrency.merge import merge
from handlers.openai.completions.request import CompletionPlan, completion_plan, completion_requests
from handlers.openai.completions.response import CompletionEvents, completion_choices
from handlers.openai.formats import check_no_form, grammar_field
from handlers.openai.sampling import includes_usage, num_beams
from handlers.openai.service import Service
from handlers.openai.token_ids import check_named_ids, check_prompt_ids
from handlers.openai.usage import usage
from handlers.service.exchange import Exchange
from handlers.service.sequences import GeneratedRequest


class Completions:
    """Continues prompts."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(
        self, body: m.CreateCompletionRequest, call: Call[CreateCompletionHeaders]
    ) -> m.CreateCompletionResponse:
        with (
            self._service.exchange(call.received_s, "prompt", grammar_field(body)) as exchange,
            _permits(exchange, plan := self._plan(body), body),
        ):
            requests = await self._read(body, plan)
            generated = [GeneratedRequest(plan.best_of) for _ in requests]
            async with aclosing(merge([exchange.run(request) for request in requests])) as tokens:
                async for prompt, token in tokens:
                    generated[prompt].add(token)
            num_tokens = sum(one.num_tokens for one in generated)
            return await self._service.workers.write(num_tokens, self._response, plan, requests, generated)

    async def stream(
        self, body: m.CreateCompletionRequest, call: Call[CreateCompletionHeaders]
    ) -> AsyncGenerator[m.CreateCompletionStreamResponse | EncodedEvent, None]:
        with (
            self._service.exchange(call.received_s, "prompt", grammar_field(body)) as exchange,
            _permits(exchange, plan := self._plan(body), body),
        ):
            requests = await self._read(body, plan)
            tokenizer = self._service.tokenizer
            chunks = CompletionEvents(plan, self._texts(plan, requests), self._empty_chunk(body), tokenizer)
            generated = [GeneratedRequest(plan.best_of) for _ in requests]
            async with aclosing(merge([exchange.run(request) for request in requests])) as tokens:
                async for prompt, token in tokens:
                    generated[prompt].add(token)
                    yield chunks.encode(prompt, token)
            if includes_usage(body):
                yield chunks.usage(_usage(plan, generated))

    def _plan(self, body: m.CreateCompletionRequest) -> CompletionPlan:
        self._service.model_names.check(body.model)
        if not self._service.allows_forms:
            check_no_form(body)
        check_named_ids(body, self._service.model_info.vocab_size)
        check_prompt_ids(body.prompt, "prompt", self._service.model_info.vocab_size)
        return completion_plan(body)

    async def _read(self, body: m.CreateCompletionRequest, plan: CompletionPlan) -> list[GenerationRequest]:
        service = self._service
        return await service.workers.tokenize(
            plan.num_characters,
            completion_requests,
            body,
            plan,
            service.tokenizer,
            service.model_info.max_total_tokens,
        )

    def _texts(self, plan: CompletionPlan, requests: Sequence[GenerationRequest]) -> list[str]:
        """The prompts as text, those of token ids with their special tokens."""
        decode = self._service.tokenizer.decode
        return [
            prompt if isinstance(prompt, str) else decode(request.prompt_token_ids, skip_special_tokens=False)
            for prompt, request in zip(plan.prompts, requests, strict=True)
        ]

    def _response(
        self,
        plan: CompletionPlan,
        requests: Sequence[GenerationRequest],
        generated: Sequence[GeneratedRequest],
    ) -> m.CreateCompletionResponse:
        envelope = self._service.envelope("cmpl")
        texts = self._texts(plan, requests)
        return m.CreateCompletionResponse(
            id=envelope.id,
            object="text_completion",
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self._service.fingerprint,
            choices=completion_choices(plan, texts, generated, self._service.tokenizer),
            usage=usage(_usage(plan, generated)),
        )

    def _empty_chunk(self, body: m.CreateCompletionRequest) -> m.CreateCompletionStreamResponse:
        envelope = self._service.envelope("cmpl")
        chunk = m.CreateCompletionStreamResponse(
            id=envelope.id,
            object="text_completion",
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self._service.fingerprint,
            choices=[],
        )
        if includes_usage(body):
            chunk.usage = None
        return chunk


def _permits(exchange: Exchange, plan: CompletionPlan, body: m.CreateCompletionRequest) -> HeldPermits:
    beams = Beams("n", num_beams(body))
    return exchange.permits(plan.sequences_field, plan.num_sequences, beams)


def _usage(plan: CompletionPlan, generated: Sequence[GeneratedRequest]) -> ChatUsage:
    """Of all prompts, and of all texts that were generated, told or not."""
    num_generated = sum(len(one.events) for request in generated for one in request.sequences)
    return ChatUsage(
        num_prompt_tokens=sum(request.num_prompt_tokens for request in generated),
        num_cached_tokens=sum(request.num_cached_tokens for request in generated),
        num_completion_tokens=num_generated if plan.max_tokens else 0,
    )
