"""The operation `/v1/chat/completions/batch`, which answers several conversations with the same options."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from msgspec.structs import replace

from generated.openai import models as m
from handlers.chat.core import PreparedChat
from handlers.chat.delta import ChatDelta
from handlers.chat.reading.result import ChatResult, join
from handlers.chat.usage import ChatUsage
from handlers.concurrency.merge import merge
from handlers.contracts.openai.chat.operation import Chat, mapping_of
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import ToProblem, mapped_errors
from verbatim_kit.runtime.operation import Call
from verbatim_kit.runtime.problem import Problem


class ChatBatch:
    """Answers lists of conversations."""

    def __init__(self, shared: ServedModel, chat: Chat) -> None:
        self._shared = shared
        self._chat = chat

    async def whole(
        self, body: m.CreateChatCompletionBatchRequest, call: Call[Any]
    ) -> m.CreateChatCompletionResponse:
        """Answer in one piece, with the choice of each conversation's number."""
        chats = _chats(body)
        shared, mapping = self._shared, mapping_of(chats[0])
        with (
            shared.active_requests.open(call.received_s, mapping) as active,
            active.permits("messages", len(chats)),
        ):
            prepared = [await self._prepare(chat, at, mapping) for at, chat in enumerate(chats)]
            outputs = [one.outputs() for one in prepared]
            deltas: list[list[ChatDelta]] = [[] for _ in prepared]
            async with aclosing(merge([active.run(one.request) for one in prepared])) as events:
                async for number, event in events:
                    if (delta := outputs[number].feed(event)) is not None:
                        deltas[number].append(delta)
            usage = ChatUsage.sum([one.usage for one in outputs])
            return await shared.workers.write(
                usage.num_completion_tokens, self._respond, chats[0], prepared[0], deltas, usage
            )

    async def _prepare(
        self, chat: m.CreateChatCompletionRequest, at: int, mapping: ToProblem
    ) -> PreparedChat:
        """Prepare the conversation of this number. Raise the contract's problem, which names it."""

        def named(error: Exception) -> Exception:
            problem = mapping(error)
            if isinstance(problem, Problem) and problem.field.startswith("messages"):
                problem.field = f"messages[{at}]" + problem.field.removeprefix("messages")
            return problem

        with mapped_errors(named):
            return await self._chat.prepare(chat, in_thread=True)  # there may be thousands

    def _respond(
        self,
        body: m.CreateChatCompletionRequest,
        first: PreparedChat,
        deltas: Sequence[Sequence[ChatDelta]],
        usage: ChatUsage,
    ) -> m.CreateChatCompletionResponse:
        choices = tuple([replace(join(each), index=number) for number, each in enumerate(deltas)])
        result = ChatResult(choices=choices, usage=usage)
        return self._chat.written(body, self._chat.envelope(body, first), result)


def _chats(body: m.CreateChatCompletionBatchRequest) -> list[m.CreateChatCompletionRequest]:
    """Return a request for each conversation, with the options of all."""
    options = {name: getattr(body, name) for name in body.model_fields_set - {"messages"}}
    return [
        m.CreateChatCompletionRequest.model_construct(messages=messages, **options)
        for messages in body.messages
    ]
