"""The operation `/v1/chat/completions`."""

from collections.abc import Iterable
from secrets import token_hex
from typing import TypeAlias

from msgspec.structs import replace
from typing_extensions import override

from engine.port.events import TokenEvent
from engine.port.info.model_info import ModelInfo
from generated.mindie import models as m
from generated.operation import EncodedEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.media import PartContents
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.reading.result import ChatResult
from handlers.concurrency.limit import HeldPermits
from handlers.errors import Refused, Violation
from handlers.mindie.chat.events import ChatEvents
from handlers.mindie.chat.request import chat_params, request_field
from handlers.mindie.chat.response import chat_completion, usage
from handlers.mindie.counts import beams, counting_field, num_answers, num_logprobs, num_sequences
from handlers.mindie.errors import to_problem
from handlers.mindie.rules import check_rules
from handlers.mindie.settings import MindieSettings
from handlers.mindie.step_times import StepTimes
from handlers.operations.chat_operation import ChatOperation
from handlers.operations.operation import StreamWriter
from handlers.served_model.served_model import ServedModel
from handlers.wire.envelope import Envelope


class TokenBounds:
    """The bound of the settings, resolved for the served model."""

    def __init__(self, max_input_tokens: int | None, model: ModelInfo) -> None:
        """Find the bound. max_input_tokens: the most tokens of a prompt; None: what the context allows."""
        self._max_input_tokens = min(max_input_tokens or model.max_total_tokens, model.max_total_tokens - 1)

    def check(self, num_prompt_tokens: int) -> None:
        """Raise Refused for a prompt that is over its limit, or that leaves no room."""
        if num_prompt_tokens > self._max_input_tokens:
            raise Refused(
                f"`messages` must have at most {self._max_input_tokens} tokens. Given: {num_prompt_tokens}",
                "messages",
                Violation.TOO_LONG,
            )


_Event: TypeAlias = m.ChatCompletionChunk | EncodedEvent


class Chat(ChatOperation[m.ChatRequest, m.ChatCompletion, _Event]):
    """Answers conversations."""

    def __init__(self, shared: ServedModel, settings: MindieSettings) -> None:
        super().__init__(shared, to_problem)
        self._settings = settings
        self._bounds = TokenBounds(shared.settings.max_input_tokens, shared.model_info)

    @override
    def plan(self, body: m.ChatRequest, *, is_stream: bool) -> m.ChatRequest:
        self.shared.model_names.resolve(body.model)
        check_rules(body)
        return body

    @override
    def permits(self, active: ActiveRequest, plan: m.ChatRequest) -> HeldPermits:
        return active.permits(counting_field(plan), num_sequences(plan), beams(plan))

    @override
    async def prepare(self, plan: m.ChatRequest) -> PreparedChat:
        return await self.shared.media.prepare(self._prepare, plan)

    @override
    def answer(self, plan: m.ChatRequest, prepared: PreparedChat, result: ChatResult) -> m.ChatCompletion:
        shows_logprobs = num_logprobs(plan) is not None
        return chat_completion(
            self._envelope(prepared), result, self.shared.tokenizer, shows_logprobs=shows_logprobs
        )

    @override
    def writer(self, plan: m.ChatRequest, prepared: PreparedChat) -> "_Writer":
        chunks = ChatEvents(
            self._envelope(prepared),
            None if num_logprobs(plan) is None else self.shared.tokenizer,
            is_full_text=self._settings.mindie_full_text,
        )
        return _Writer(prepared.outputs(), chunks, num_answers(plan))

    def _prepare(self, body: m.ChatRequest, contents: PartContents) -> PreparedChat:
        try:
            params = chat_params(body, self.shared.model_info.vocab_size)
            adapter = self.shared.model_names.resolve(body.model).adapter
            prepared = self.shared.chat.prepare(replace(params, adapter=adapter), contents)
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        self._bounds.check(len(prepared.request.prompt.token_ids))
        return replace(prepared, request=prepared.request.clamped(self.shared.model_info.max_total_tokens))

    def _envelope(self, prepared: PreparedChat) -> Envelope:
        """MindIE counts its requests; a random number is unique beyond one process."""
        model = prepared.request.adapter or self.shared.model_names.served
        return Envelope(model=model, id=f"endpoint_common_{token_hex(16)}")


class _Writer(StreamWriter[_Event]):
    def __init__(self, outputs: ChatOutputs, chunks: ChatEvents, num_answers: int) -> None:
        self._outputs = outputs
        self._chunks = chunks
        self._times = StepTimes(num_answers)
        self._num_running = num_answers

    @override
    def feed(self, token: TokenEvent) -> Iterable[_Event]:
        self._times.add(token)
        delta = self._outputs.feed(token)
        if delta is None:
            return ()
        piece = self._chunks.piece(delta)
        if delta.finish is None:
            return () if piece is None else (piece,)
        self._num_running -= 1
        counts = None if self._num_running else usage(self._outputs.usage, self._times)
        end = self._chunks.end(delta, counts)
        return (end,) if piece is None else (piece, end)
