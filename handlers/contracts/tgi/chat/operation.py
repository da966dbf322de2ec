"""The operation `/v1/chat/completions`: conversations, answered whole or in pieces."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any, Generic, NamedTuple, TypeVar, final

from msgspec.structs import replace
from pydantic import BaseModel

from generated.tgi import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.media import PartContents
from handlers.chat.params import ChatParams
from handlers.chat.reading.result import ChatResult, collect_chat
from handlers.contracts.tgi.chat.events import ChatEvents
from handlers.contracts.tgi.chat.response import chat_completion
from handlers.contracts.tgi.headers import AnswerHeaders
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.operations.plain_answer import PlainAnswers
from handlers.served_model.envelope import Envelope
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import ToProblem
from verbatim_kit.runtime.operation import Answer, Call, EncodedEvent

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
class Chat(Generic[BodyT, AnswerT, ChunkT]):
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
        self._shared = shared
        self._to_problem = to_problem
        self._limits = limits
        self._headers = headers
        self._params = params
        self._answer = answer
        self._plain = PlainAnswers(
            lambda envelope, result: answer(chat_completion(envelope, result, with_logprobs=False))
        )
        self._chunk = chunk

    async def whole(self, plan: ChatPlan[BodyT], call: Call[Any]) -> Answer[AnswerT]:
        """Answer in one piece."""
        async with self._begin(plan, call) as (active, prepared, envelope):
            result = await collect_chat(prepared.outputs(), active.run(prepared.request))
            answer = await self._shared.workers.write(
                result.usage.num_completion_tokens, self._respond, plan, envelope, result
            )
        call.respond_with(self._headers.costs(active.timing))
        return answer

    async def stream(
        self, plan: ChatPlan[BodyT], call: Call[Any]
    ) -> AsyncGenerator[ChunkT | EncodedEvent, None]:
        """Answer token by token, with at most one chunk for what an answer gains at once."""
        async with self._begin(plan, call) as (active, prepared, envelope):
            outputs = prepared.outputs()
            chunks = ChatEvents(envelope, self._chunk, with_logprobs=plan.with_logprobs)
            async with aclosing(active.run(prepared.request)) as tokens:
                async for token in tokens:
                    delta = outputs.feed(token)
                    if delta is not None and (chunk := chunks.encode(delta)) is not None:
                        yield chunk
            if plan.includes_usage:
                yield chunks.usage(outputs.usage)

    @asynccontextmanager
    async def _begin(
        self, plan: ChatPlan[BodyT], call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, PreparedChat, Envelope]]:
        """Prepare a request, which is active in the block, and the envelope of its answer."""
        shared = self._shared
        with (
            shared.active_requests.open(call.received_s, self._to_problem) as active,
            active.permits("n", plan.num_sequences),
        ):
            prepared = await shared.media.prepare(self._prepare, plan.body, plan.model)
            call.respond_with(self._headers.of_every_answer(prepared.prompt_text))
            yield active, prepared, shared.envelope("chatcmpl", prepared.request.request_id)

    def _prepare(self, body: BodyT, contents: PartContents, model: str | None) -> PreparedChat:
        """Render and tokenize within the limits. Raise from the chat core, PromptTooLong, or Refused."""
        adapter = self._shared.model_names.adapter_of(model)
        params = replace(self._params(body, self._limits), adapter=adapter)
        prepared = self._shared.chat.prepare(params, contents)
        self._limits.new_tokens(len(prepared.request.prompt.token_ids), params.max_tokens)
        return prepared

    def _respond(self, plan: ChatPlan[BodyT], envelope: Envelope, result: ChatResult) -> Answer[AnswerT]:
        if plan.with_logprobs:
            return self._answer(chat_completion(envelope, result, with_logprobs=True))
        return self._plain(envelope, result)
