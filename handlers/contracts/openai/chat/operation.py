"""The operation `/v1/chat/completions`."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any

from msgspec.structs import replace

from generated.openai import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.media import NOTHING_READ, PartContents
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.reading.result import ChatResult, collect_chat
from handlers.chat.tools import faulty_parameters
from handlers.concurrency.limit import Beams
from handlers.contracts.openai.answers.timings import RequestTimings
from handlers.contracts.openai.answers.token_details import prompt_logprobs
from handlers.contracts.openai.chat.events import ChatEvents, empty_chunk
from handlers.contracts.openai.chat.request import (
    chat_params,
    hides_reasoning,
    request_field,
    thinking_budgets,
)
from handlers.contracts.openai.chat.response import ChatAnswer, chat_completion
from handlers.contracts.openai.chat.tools import custom_names, offered_tools
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.response_format import check_no_response_format, check_search, grammar_field
from handlers.contracts.openai.sampling import check_named_ids, includes_usage, num_beams, shows_usage_so_far
from handlers.contracts.openai.settings import ReasoningField
from handlers.operations.missing import given, given_or
from handlers.operations.plain_answer import PlainAnswers
from handlers.served_model.envelope import Envelope
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import ToProblem
from verbatim_kit.runtime.operation import Answer, Call, EncodedEvent


def mapping_of(body: m.CreateChatCompletionRequest) -> ToProblem:
    """Return how errors of a request become problems."""

    def to_contract(error: Exception) -> Exception:
        field = faulty_parameters(error, lambda: offered_tools(body)[0]) or grammar_field(body)
        return to_problem(
            error,
            prompt_field="messages",
            grammar_field=field,
            budget_field=next(iter(thinking_budgets(body)), ""),
        )

    return to_contract


class Chat:
    """Answers conversations."""

    def __init__(self, shared: ServedModel, reasoning_fields: tuple[ReasoningField, ...]) -> None:
        self._shared = shared
        self._write = partial(chat_completion, fingerprint=shared.fingerprint)
        self._reasoning_fields = reasoning_fields
        answer = ChatAnswer(shared.tokenizer, (), shows_logprobs=False, reasoning_fields=reasoning_fields)
        self._plain = PlainAnswers(partial(self._write, answer=answer))

    async def whole(
        self, body: m.CreateChatCompletionRequest, call: Call[Any]
    ) -> Answer[m.CreateChatCompletionResponse]:
        """Answer in one piece."""
        async with self._begin(body, call) as (active, prepared):
            result = await collect_chat(prepared.outputs(), active.run(prepared.request))
            return await self._shared.workers.write(
                result.usage.num_completion_tokens, self._respond, body, prepared, result
            )

    async def stream(
        self, body: m.CreateChatCompletionRequest, call: Call[Any]
    ) -> AsyncGenerator[m.CreateChatCompletionStreamResponse | EncodedEvent, None]:
        """Answer token by token, with at most one chunk for what an answer gains at once."""
        async with self._begin(body, call) as (active, prepared):
            outputs = prepared.outputs()
            chunks = self.chunks(body, self.envelope(body, prepared), prepared, outputs)
            async with aclosing(active.run(prepared.request)) as tokens:
                async for token in tokens:
                    delta = outputs.feed(token)
                    if delta is not None and (chunk := chunks.encode(delta)) is not None:
                        yield chunk
            if includes_usage(body):
                yield chunks.usage(outputs.usage)

    @asynccontextmanager
    async def _begin(
        self, body: m.CreateChatCompletionRequest, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, PreparedChat]]:
        """Check and prepare a request, which is active in the block."""
        with (
            self._shared.active_requests.open(call.received_s, mapping_of(body)) as active,
            active.permits("n", given_or(body.n, 1), Beams("n", num_beams(body))),
        ):
            yield active, await self.prepare(body)

    async def prepare(self, body: m.CreateChatCompletionRequest, *, in_thread: bool = False) -> PreparedChat:
        """Render and tokenize. Raise Refused, ChatError, or from the tree of the engine's errors.

        in_thread: whether a short conversation is not to be prepared at once either.
        """
        shared = self._shared
        adapter = shared.model_names.resolve(body.model).adapter
        if not in_thread:
            return await shared.media.prepare(self._prepare, body, adapter)
        first = shared.workers.compute(self._prepare, body, NOTHING_READ, adapter)
        return await shared.media.complete(first, lambda contents: self._prepare(body, contents, adapter))

    def _prepare(
        self, body: m.CreateChatCompletionRequest, contents: PartContents, adapter: str | None
    ) -> PreparedChat:
        if self._shared.settings.disable_grammar_support:
            check_no_response_format(body)
        check_named_ids(body, self._shared.model_info.vocab_size)
        try:
            prepared = self._shared.chat.prepare(replace(chat_params(body), adapter=adapter), contents)
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        check_search(body, prepared.request.sampling.grammar)
        return prepared

    def _respond(
        self, body: m.CreateChatCompletionRequest, prepared: PreparedChat, result: ChatResult
    ) -> Answer[m.CreateChatCompletionResponse]:
        envelope = self.envelope(body, prepared)
        if not _shapes_answers(body):
            return self._plain(envelope, result)
        response = self.written(body, envelope, result)
        if body.return_token_ids:
            response.prompt_token_ids = list(prepared.request.prompt.token_ids)
        if body.prompt_logprobs is not None:
            tokens = next(event.prompt for event in result.choices[0].events if event.prompt is not None)
            response.prompt_logprobs = prompt_logprobs(tokens, self._shared.tokenizer)
        if body.timings_per_token:
            timings = RequestTimings()
            for choice in result.choices:
                timings.add(choice.events)
            response.timings = timings.write()
        return response

    def written(
        self, body: m.CreateChatCompletionRequest, envelope: Envelope, result: ChatResult
    ) -> m.CreateChatCompletionResponse:
        """Return the whole answer, but for what it says of the prompt and of times."""
        response = self._write(envelope, result, answer=self._answer(body))
        if given(body.service_tier) is not None:
            response.service_tier = "default"
        return response

    def chunks(
        self,
        body: m.CreateChatCompletionRequest,
        envelope: Envelope,
        prepared: PreparedChat,
        outputs: ChatOutputs,
    ) -> ChatEvents:
        """Return the writer of a stream's chunks. outputs: count the tokens."""
        empty = empty_chunk(
            envelope,
            self._shared.fingerprint,
            shows_usage=includes_usage(body),
            names_tier=given(body.service_tier) is not None,
        )
        return ChatEvents(
            self._answer(body),
            empty,
            shows_logprobs=body.logprobs is True,
            prompt_token_ids=prepared.request.prompt.token_ids if body.return_token_ids else None,
            counts=(lambda: outputs.usage) if shows_usage_so_far(body) else None,
            timings=RequestTimings() if body.timings_per_token else None,
        )

    def envelope(self, body: m.CreateChatCompletionRequest, prepared: PreparedChat) -> Envelope:
        """Return what all parts of the answer repeat."""
        return self._shared.envelope(
            "chatcmpl", body.request_id or prepared.request.request_id, prepared.request.adapter
        )

    def _answer(self, body: m.CreateChatCompletionRequest) -> ChatAnswer:
        return ChatAnswer(
            self._shared.tokenizer,
            body.stop_token_ids or (),
            shows_logprobs=body.logprobs is True,
            reasoning_fields=() if hides_reasoning(body) else self._reasoning_fields,
            shows_ids=body.return_token_ids is True,
            names_ids=body.return_tokens_as_token_ids is True,
            names_tokens=body.logprob_token_ids is not None,
            custom_tools=custom_names(body.tools),
            has_functions=body.functions is not None,
        )


def _shapes_answers(body: m.CreateChatCompletionRequest) -> bool:
    """Return whether the request changes which fields answers have."""
    return bool(
        body.logprobs
        or body.stop_token_ids
        or hides_reasoning(body)
        or body.return_token_ids
        or body.prompt_logprobs is not None
        or body.timings_per_token
        or given(body.service_tier) is not None
        or custom_names(body.tools)
        or body.functions
    )
