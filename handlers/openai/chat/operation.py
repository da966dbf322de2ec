"""The operation `/v1/chat/completions`."""

from functools import partial

from msgspec.structs import replace
from typing_extensions import override

from generated.openai import models as m
from generated.operation import Answer, EncodedEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.media import PartContents
from handlers.chat.reading.result import ChatResult
from handlers.concurrency.limit import Beams, HeldPermits
from handlers.errors import ToProblem
from handlers.openai.answers.timings import RequestTimings
from handlers.openai.answers.token_details import prompt_logprobs
from handlers.openai.chat.events import ChatEvents, empty_chunk
from handlers.openai.chat.request import chat_params, request_field
from handlers.openai.chat.response import ChatAnswer, chat_completion
from handlers.openai.chat.tools import custom_names
from handlers.openai.errors import to_problem
from handlers.openai.formats import check_no_form, check_search, grammar_field
from handlers.openai.sampling import check_named_ids, includes_usage, num_beams, shows_usage_so_far
from handlers.openai.settings import ReasoningField
from handlers.operations.chat_operation import ChatOperation, ChatWriter
from handlers.served_model.served_model import ServedModel
from handlers.wire.envelope import Envelope
from handlers.wire.missing import given, given_or
from handlers.wire.plain_answer import PlainAnswers


class Chat(
    ChatOperation[
        m.CreateChatCompletionRequest,
        Answer[m.CreateChatCompletionResponse],
        m.CreateChatCompletionStreamResponse | EncodedEvent,
    ]
):
    """Answers conversations."""

    def __init__(self, shared: ServedModel, reasoning_fields: tuple[ReasoningField, ...]) -> None:
        super().__init__(shared, partial(to_problem, prompt_field="messages"))
        self._write = partial(chat_completion, fingerprint=shared.fingerprint)
        self._reasoning_fields = reasoning_fields
        answer = ChatAnswer(shared.tokenizer, (), shows_logprobs=False, reasoning_fields=reasoning_fields)
        self._plain = PlainAnswers(partial(self._write, answer=answer))

    @override
    def mapping(self, body: m.CreateChatCompletionRequest) -> ToProblem:
        return lambda error: to_problem(error, prompt_field="messages", grammar_field=grammar_field(body))

    @override
    def permits(self, active: ActiveRequest, plan: m.CreateChatCompletionRequest) -> HeldPermits:
        return active.permits("n", given_or(plan.n, 1), Beams("n", num_beams(plan)))

    @override
    async def prepare(self, plan: m.CreateChatCompletionRequest) -> PreparedChat:
        adapter = self.shared.model_names.resolve(plan.model).adapter
        return await self.shared.media.prepare(self._prepare, plan, adapter)

    def _prepare(
        self, body: m.CreateChatCompletionRequest, contents: PartContents, adapter: str | None
    ) -> PreparedChat:
        if self.shared.settings.disable_grammar_support:
            check_no_form(body)
        check_named_ids(body, self.shared.model_info.vocab_size)
        try:
            prepared = self.shared.chat.prepare(replace(chat_params(body), adapter=adapter), contents)
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        check_search(body, prepared.request.sampling.grammar)
        return prepared

    @override
    def answer(
        self, plan: m.CreateChatCompletionRequest, prepared: PreparedChat, result: ChatResult
    ) -> Answer[m.CreateChatCompletionResponse]:
        envelope = self._envelope(plan, prepared)
        if not _shapes_answers(plan):
            return self._plain(envelope, result)
        response = self._write(envelope, result, answer=self._answer(plan))
        if given(plan.service_tier) is not None:
            response.service_tier = "default"
        if plan.return_token_ids:
            response.prompt_token_ids = list(prepared.request.prompt.token_ids)
        if plan.prompt_logprobs is not None:
            tokens = next(event.prompt for event in result.choices[0].events if event.prompt is not None)
            response.prompt_logprobs = prompt_logprobs(tokens, self.shared.tokenizer)
        if plan.timings_per_token:
            timings = RequestTimings()
            for choice in result.choices:
                timings.add(choice.events)
            response.timings = timings.write()
        return response

    @override
    def writer(
        self, plan: m.CreateChatCompletionRequest, prepared: PreparedChat
    ) -> ChatWriter[m.CreateChatCompletionStreamResponse | EncodedEvent]:
        empty = empty_chunk(
            self._envelope(plan, prepared),
            self.shared.fingerprint,
            shows_usage=includes_usage(plan),
            names_tier=given(plan.service_tier) is not None,
        )
        outputs = prepared.outputs()
        chunks = ChatEvents(
            self._answer(plan),
            empty,
            shows_logprobs=plan.logprobs is True,
            prompt_token_ids=prepared.request.prompt.token_ids if plan.return_token_ids else None,
            counts=(lambda: outputs.usage) if shows_usage_so_far(plan) else None,
            timings=RequestTimings() if plan.timings_per_token else None,
        )
        return ChatWriter(outputs, chunks, includes_usage=includes_usage(plan))

    def _envelope(self, body: m.CreateChatCompletionRequest, prepared: PreparedChat) -> Envelope:
        return self.shared.envelope(
            "chatcmpl", body.request_id or prepared.request.request_id, prepared.request.adapter
        )

    def _answer(self, body: m.CreateChatCompletionRequest) -> ChatAnswer:
        return ChatAnswer(
            self.shared.tokenizer,
            body.stop_token_ids or (),
            shows_logprobs=body.logprobs is True,
            reasoning_fields=() if body.include_reasoning is False else self._reasoning_fields,
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
        or body.include_reasoning is False
        or body.return_token_ids
        or body.prompt_logprobs is not None
        or body.timings_per_token
        or given(body.service_tier) is not None
        or custom_names(body.tools)
        or body.functions
    )
