"""The operation `/chat/completions`."""

from collections.abc import Iterable
from typing import TypeAlias
from uuid import uuid4

from msgspec.structs import replace
from typing_extensions import override

from engine.port.events import TokenEvent
from generated.aleph_alpha import models as m
from generated.operation import EncodedEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.aleph_alpha.chat.events import ChatEvents
from handlers.aleph_alpha.chat.request import chat_params, includes_usage, num_answers, num_logprobs
from handlers.aleph_alpha.chat.response import chat_choice, chat_logprobs, chat_usage
from handlers.aleph_alpha.errors import NotChatCapable, to_problem
from handlers.aleph_alpha.nice import NiceRequest
from handlers.chat.core import PreparedChat
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.reading.result import ChatChoice, ChatResult
from handlers.concurrency.limit import HeldPermits
from handlers.operations.chat_operation import ChatOperation
from handlers.operations.operation import StreamWriter
from handlers.served_model.served_model import ServedModel
from handlers.wire.envelope import Envelope

_Request: TypeAlias = NiceRequest[m.ChatRequest]
_Event: TypeAlias = m.ChatCompletionChunk | EncodedEvent


class Chat(ChatOperation[_Request, m.ChatCompletion, _Event]):
    """Answers conversations."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared, to_problem)

    @override
    def permits(self, active: ActiveRequest, plan: _Request) -> HeldPermits:
        return active.permits("n", num_answers(plan.body))

    @override
    async def prepare(self, plan: _Request) -> PreparedChat:
        adapter = self.shared.model_names.resolve(plan.body.model).adapter
        if not self.shared.chat.has_template:
            raise NotChatCapable
        return await self.shared.workers.prepare(self._prepare, plan.body, adapter, nice=plan.nice)

    def _prepare(self, body: m.ChatRequest, adapter: str | None, *, nice: bool) -> PreparedChat:
        return self.shared.chat.prepare(replace(chat_params(body, nice=nice), adapter=adapter))

    @override
    def answer(self, plan: _Request, prepared: PreparedChat, result: ChatResult) -> m.ChatCompletion:
        envelope = self._envelope()
        return m.ChatCompletion(
            id=envelope.id,
            choices=[chat_choice(choice, self._logprobs(plan.body, choice)) for choice in result.choices],
            created=envelope.created,
            model=envelope.model,
            system_fingerprint=self.shared.fingerprint,
            object="chat.completion",
            usage=chat_usage(result.usage),
        )

    @override
    def writer(self, plan: _Request, prepared: PreparedChat) -> "_Writer":
        chunks = ChatEvents(
            self._envelope(),
            self.shared.fingerprint,
            self.shared.tokenizer,
            shows_logprobs=num_logprobs(plan.body) is not None,
        )
        return _Writer(prepared.outputs(), chunks, includes_usage=includes_usage(plan.body))

    def _logprobs(self, body: m.ChatRequest, choice: ChatChoice) -> m.ChatLogprobs | None:
        if num_logprobs(body) is None:
            return None
        return chat_logprobs(choice.answer_events, self.shared.tokenizer)

    def _envelope(self) -> Envelope:
        return Envelope(model=self.shared.model_names.served, id=str(uuid4()))


class _Writer(StreamWriter[_Event]):
    def __init__(self, outputs: ChatOutputs, chunks: ChatEvents, *, includes_usage: bool) -> None:
        self._outputs = outputs
        self._chunks = chunks
        self._includes_usage = includes_usage

    @override
    def feed(self, token: TokenEvent) -> Iterable[_Event]:
        delta = self._outputs.feed(token)
        return () if delta is None else self._chunks.encode(delta)

    @override
    def end(self) -> Iterable[_Event]:
        return (self._chunks.usage(self._outputs.usage),) if self._includes_usage else ()
