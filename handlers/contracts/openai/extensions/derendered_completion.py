"""The operation `/v1/completions/derender`, which writes the tokens of a token API as continuations."""

from collections.abc import Sequence
from dataclasses import replace as replace_fields
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from msgspec.structs import replace
from pydantic import MISSING

from engine.port.request import GenerationRequest, Prompt
from generated.openai import models as m
from handlers.chat.usage import ChatUsage
from handlers.contracts.openai.completions.operation import Completions, mapping_of
from handlers.contracts.openai.completions.request import CompletionPlan, completion_plan
from handlers.contracts.openai.completions.response import CompletionEvents, PromptText
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.extensions.derendering import (
    check_form,
    check_rendered,
    overrides,
    plain_request,
    sequence_reader,
    within,
)
from handlers.contracts.openai.extensions.generated import wire_counts, wire_state
from handlers.operations.generated_tokens import generated_events
from handlers.operations.missing import given_or
from handlers.operations.sequences import GeneratedRequest
from handlers.served_model.envelope import Envelope
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, Violation, mapped_errors

_to_problem: Final = partial(to_problem, prompt_field="")


class _Asked(NamedTuple):
    """A rendered request, with the engine's request and the text of each prompt.

    texts: none where there is no such request, and the prompts are known by their tokens.
    """

    body: m.CreateCompletionRequest
    plan: CompletionPlan
    requests: Sequence[GenerationRequest]
    texts: Sequence[PromptText]


class DerenderedCompletion:
    """Writes what a completion would have answered with the same tokens."""

    def __init__(self, shared: ServedModel, completions: Completions) -> None:
        self._shared = shared
        self._completions = completions

    async def answer(
        self, body: m.DerenderCompletionRequest
    ) -> m.CreateCompletionResponse | m.DerenderedCompletionChunk:
        """Return a whole answer, or one chunk of a stream. Raise the contract's problem for what has none."""
        with mapped_errors(_to_problem):
            check_form(body, "generate_responses")
            asked = await self._asked(body)
            if body.generate_chunk is not None:
                return await self._shared.workers.compute(self._chunk, body, asked, body.generate_chunk)
            responses = body.generate_responses or ()
            return await self._shared.workers.compute(self._whole, body, asked, responses)

    async def _asked(self, body: m.DerenderCompletionRequest) -> _Asked:
        names = self._shared.model_names
        resolved = names.resolve(body.model or names.served)
        if body.completion_request is None:
            return self._plain(body, resolved.adapter)
        asked = body.completion_request.model_copy(update=overrides(body))
        with mapped_errors(within("completion_request", mapping_of(asked))):
            check_rendered(asked)
            plan = self._completions.plan(asked)
            requests = await self._completions.prepare(asked, plan)
            return _Asked(asked, plan, requests, self._completions.texts(plan, requests))

    def _plain(self, body: m.DerenderCompletionRequest, adapter: str | None) -> _Asked:
        """Return a request for texts that have what the choices have."""
        source = [body.generate_chunk] if body.generate_chunk else body.generate_responses or ()
        choices = [choice for each in source for choice in each.choices]
        request = plain_request(choices, adapter)
        asked = m.CreateCompletionRequest.model_construct(
            model=adapter or self._shared.model_names.served,
            prompt="",
            logprobs=None if request.sampling.num_logprobs is None else 0,
            stop_token_ids=list(request.stopping.stop_token_ids),
        )
        num = len(source)
        return _Asked(asked, completion_plan(asked, adapter), [request] * num, ())

    def _whole(
        self, body: m.DerenderCompletionRequest, asked: _Asked, responses: Sequence[m.GeneratedResponse]
    ) -> m.CreateCompletionResponse:
        num_prompts, tokenizer = len(asked.requests), self._shared.tokenizer
        if len(responses) != num_prompts:
            reason = f"The request has {num_prompts} prompts, and these are the answers to {len(responses)}."
            raise Refused(reason, "generate_responses")
        num_tokens = _counts_of(body, num_prompts)
        token_ids = _prompts_of(body, num_prompts)
        reader = sequence_reader(self._shared)
        texts: list[PromptText] = []
        generated: list[GeneratedRequest] = []
        counts: list[ChatUsage] = []
        for number, response in enumerate(responses):
            field, own = f"generate_responses[{number}]", token_ids[number]
            if own is not None:
                prompt = reader.check_prompt(own, f"prompt_token_ids[{number}]")
            elif response.prompt_token_ids is not None:
                prompt = reader.check_prompt(response.prompt_token_ids, f"{field}.prompt_token_ids")
            else:
                prompt = asked.requests[number].prompt.token_ids
            request = replace(asked.requests[number], prompt=Prompt(prompt))
            sequences = reader.choices(response, request.sampling.num_logprobs, field)
            answer = GeneratedRequest(len(sequences))
            for index, sequence in enumerate(sequences):
                for event in generated_events(request, tokenizer, index, *sequence):
                    answer.add(event)
            texts.append(self._text(asked, number, prompt))
            generated.append(answer)
            num_generated = answer.num_tokens if asked.plan.max_tokens else 0
            counts.append(wire_counts(response.usage, num_tokens[number], num_generated))
        written = self._completions.written(
            self._envelope(asked, responses[0].request_id),
            replace_fields(asked.plan, num_prompt_logprobs=None),
            texts,
            generated,
            ChatUsage.sum(counts),
        )
        if asked.plan.num_prompt_logprobs is not None:
            _add_prompt_logprobs(written, asked.plan, responses)
        return written

    def _chunk(
        self, body: m.DerenderCompletionRequest, asked: _Asked, event: m.GeneratedChunk
    ) -> m.DerenderedCompletionChunk:
        """Return the chunk of an event. All events before it are read again, and their chunks left out."""
        reader, state = sequence_reader(self._shared), body.stream_state
        number, prompt = self._prompt(body, asked, event)
        request = replace(asked.requests[number], prompt=Prompt(prompt))
        chunks = CompletionEvents(
            asked.plan,
            [self._text(asked, number, prompt)],
            self._completions.empty_chunk(asked.body, self._envelope(asked, event.request_id)),
            self._shared.tokenizer,
            is_plain=False,
        )
        counts = None
        if event.usage is not None:
            num_tokens = body.prompt_tokens if isinstance(body.prompt_tokens, int) else None
            counts = wire_counts(event.usage, num_tokens, event.usage.completion_tokens or 0)
        chunk = chunks.empty() if counts is None else chunks.usage(counts)
        if not event.choices:
            return m.DerenderedCompletionChunk(chunk=chunk, stream_state=state or wire_state((), 0))
        (choice,) = event.choices
        sequence = reader.so_far(state, choice, request.sampling.num_logprobs)
        num_before = 0 if state is None else len(state.output_token_ids)
        added = m.CompletionStreamChoice(index=choice.index, text="", logprobs=None, finish_reason=None)
        tokens = generated_events(request, self._shared.tokenizer, 0, *sequence)
        for place, token in enumerate(tokens):
            written = chunks.choice(0, token)
            if place >= num_before:
                _append(added, written)
        chunk.choices = [added]
        return m.DerenderedCompletionChunk(chunk=chunk, stream_state=wire_state(sequence.tokens, 0))

    def _prompt(
        self, body: m.DerenderCompletionRequest, asked: _Asked, event: m.GeneratedChunk
    ) -> tuple[int, tuple[int, ...]]:
        """Return the number of a stream's prompt, and its last tokens. Raises Refused."""
        reader, field = sequence_reader(self._shared), "prompt_token_ids"
        if body.prompt_tokens is not None and not isinstance(body.prompt_tokens, int):
            raise Refused("With 'stream', 'prompt_tokens' is one count.", "prompt_tokens")
        given = _ids_of_one(body)
        if given is None and event.prompt_token_ids is not None:
            given, field = event.prompt_token_ids, "generate_chunk.prompt_token_ids"
        if given is None and len(asked.requests) > 1:
            reason = "The request has several prompts, and only these say which one the event is of."
            raise Refused(reason, field, Violation.MISSING)
        prompt = asked.requests[0].prompt.token_ids if given is None else reader.check_prompt(given, field)
        if body.completion_request is None:
            return 0, prompt
        for number, request in enumerate(asked.requests):
            if request.prompt.token_ids[len(request.prompt.token_ids) - len(prompt) :] == prompt:
                return number, prompt
        raise Refused("No prompt of 'completion_request' ends with these tokens.", field)

    def _text(self, asked: _Asked, number: int, prompt: tuple[int, ...]) -> PromptText:
        if asked.texts:
            return PromptText(asked.texts[number].text, prompt)
        return PromptText(self._shared.tokenizer.decode(prompt, skip_special_tokens=False), prompt)

    def _envelope(self, asked: _Asked, own_id: str | None) -> Envelope:
        envelope = self._shared.envelope("cmpl", asked.body.request_id, asked.plan.adapter)
        return envelope if own_id is None else replace_fields(envelope, id=own_id)


def _counts_of(body: m.DerenderCompletionRequest, num_prompts: int) -> Sequence[int | None]:
    """Return the number of tokens of each prompt. Raises Refused for another number of them."""
    counts = body.prompt_tokens
    if counts is None:
        return [None] * num_prompts
    if isinstance(counts, int) or len(counts) != num_prompts:
        raise Refused(f"This is a list of the counts of {num_prompts} prompts.", "prompt_tokens")
    return counts


def _prompts_of(body: m.DerenderCompletionRequest, num_prompts: int) -> Sequence[Sequence[int] | None]:
    """Return the tokens of each prompt. Raises Refused for another number of them."""
    if body.prompt_token_ids is None:
        return [None] * num_prompts
    prompts: list[Sequence[int] | None] = []
    for number, prompt in enumerate(body.prompt_token_ids):
        if isinstance(prompt, int):
            raise Refused("This is a list of the tokens of a prompt.", f"prompt_token_ids[{number}]")
        prompts.append(prompt)
    if len(prompts) != num_prompts:
        raise Refused(f"This is a list of the tokens of {num_prompts} prompts.", "prompt_token_ids")
    return prompts


def _ids_of_one(body: m.DerenderCompletionRequest) -> list[int] | None:
    """Return the tokens of one prompt. Raises Refused for a list of prompts."""
    if body.prompt_token_ids is None:
        return None
    token_ids: list[int] = []
    for number, token_id in enumerate(body.prompt_token_ids):
        if not isinstance(token_id, int):
            reason = "With 'stream', these are the tokens of one prompt."
            raise Refused(reason, f"prompt_token_ids[{number}]")
        token_ids.append(token_id)
    return token_ids


def _append(choice: m.CompletionStreamChoice, added: m.CompletionStreamChoice) -> None:
    """Append what another token adds to the chunk of an event."""
    choice.text += added.text
    choice.finish_reason = added.finish_reason
    if added.stop_reason is not MISSING:
        choice.stop_reason = added.stop_reason
    if added.prompt_token_ids is not MISSING:
        choice.prompt_token_ids = added.prompt_token_ids
    if added.token_ids is not MISSING:
        choice.token_ids = [*given_or(choice.token_ids, []), *added.token_ids]
    if choice.logprobs is None or added.logprobs is None:
        choice.logprobs = added.logprobs
        return
    for field in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
        getattr(choice.logprobs, field).extend(getattr(added.logprobs, field))


def _add_prompt_logprobs(
    answer: m.CreateCompletionResponse, plan: CompletionPlan, responses: Sequence[m.GeneratedResponse]
) -> None:
    """Give each choice the log-probabilities of its prompt. Raises Refused where there are none."""
    choices = iter(answer.choices)
    for number, response in enumerate(responses):
        if response.prompt_logprobs is None:
            reason = "Log-probabilities of the prompt are asked for, and there are none."
            raise Refused(reason, f"generate_responses[{number}].prompt_logprobs", Violation.MISSING)
        num = len(response.choices)
        for choice in islice(choices, min(num, plan.n) if plan.best_of > plan.n else num):
            choice.prompt_logprobs = response.prompt_logprobs
