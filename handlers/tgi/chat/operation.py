"""The operation `/v1/chat/completions`: conversations, answered whole or in pieces."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar, final

from msgspec.structs import replace
from pydantic import BaseModel
from typing_extensions import override

from generated.operation import Answer, EncodedEvent
from generated.tgi import models as m
from handlers.access.visits.timing import Timing
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.media import PartContents
from handlers.chat.params import ChatParams
from handlers.chat.reading.result import ChatResult
from handlers.concurrency.limit import HeldPermits
from handlers.errors import ToProblem
from handlers.operations.chat_operation import ChatOperation, ChatWriter
from handlers.served_model.served_model import ServedModel
from handlers.tgi.chat.events import ChatEvents
from handlers.tgi.chat.response import chat_completion
from handlers.tgi.headers import AnswerHeaders, Headers
from handlers.tgi.request_limits import RequestLimits
from handlers.wire.plain_answer import PlainAnswers

BodyT = TypeVar("BodyT", bound=BaseModel)
AnswerT = TypeVar("AnswerT", bound=BaseModel)
ChunkT = TypeVar("ChunkT", bound=BaseModel)


class ChatPlan(NamedTuple, Generic[BodyT]):
    """A request's body, and what the operation itself must know of it. model: the name that it asks for."""

    body: BodyT
    model: str | None
    num_sequences: int
    with_logprobs: bool
    includes_usage: bool


@final
class Chat(ChatOperation[ChatPlan[BodyT], Answer[AnswerT], ChunkT | EncodedEvent]):
    """Answers conversations in the form of a contract."""

    def __init__(
        self,
        shared: ServedModel,
        to_problem: ToProblem,
        limits: RequestLimits,
        headers: AnswerHeaders,
        *,
        params: Callable[[BodyT, RequestLimits], ChatParams],
        answer: Callable[[m.ChatCompletion], AnswerT],
        chunk: Callable[[m.ChatCompletionChunk], ChunkT],
    ) -> None:
        """Create the operation.

        params: reads a body, which takes its time; may raise from the chat core, and Refused.
        answer, chunk: give an answer, or a chunk, the contract's form.
        """
        super().__init__(shared, to_problem)
        self._limits = limits
        self._headers = headers
        self._params = params
        self._answer = answer
        self._plain = PlainAnswers(
            lambda envelope, result: answer(chat_completion(envelope, result, with_logprobs=False))
        )
        self._chunk = chunk

    @override
    def permits(self, active: ActiveRequest, plan: ChatPlan[BodyT]) -> HeldPermits:
        return active.permits("n", plan.num_sequences)

    @override
    async def prepare(self, plan: ChatPlan[BodyT]) -> PreparedChat:
        return await self.shared.media.prepare(self._prepare, plan.body, plan.model)

    def _prepare(self, body: BodyT, contents: PartContents, model: str | None) -> PreparedChat:
        """Render and tokenize within the limits. Raise from the chat core, PromptTooLong, or Refused."""
        adapter = self.shared.model_names.adapter_of(model)
        params = replace(self._params(body, self._limits), adapter=adapter)
        prepared = self.shared.chat.prepare(params, contents)
        self._limits.new_tokens(len(prepared.request.prompt.token_ids), params.max_tokens)
        return prepared

    @override
    def answer(self, plan: ChatPlan[BodyT], prepared: PreparedChat, result: ChatResult) -> Answer[AnswerT]:
        envelope = self.shared.envelope("chatcmpl", prepared.request.request_id)
        if plan.with_logprobs:
            return self._answer(chat_completion(envelope, result, with_logprobs=True))
        return self._plain(envelope, result)

    @override
    def writer(self, plan: ChatPlan[BodyT], prepared: PreparedChat) -> ChatWriter[ChunkT | EncodedEvent]:
        envelope = self.shared.envelope("chatcmpl", prepared.request.request_id)
        events = ChatEvents(envelope, self._chunk, with_logprobs=plan.with_logprobs)
        return ChatWriter(prepared.outputs(), events, includes_usage=plan.includes_usage)

    @override
    def headers(self, plan: ChatPlan[BodyT], prepared: PreparedChat) -> Headers:
        return self._headers.of_every_answer(prepared.prompt_text)

    @override
    def costs(self, timing: Timing) -> Headers:
        return self._headers.costs(timing)
