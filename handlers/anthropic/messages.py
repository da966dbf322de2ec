"""The operation `/v1/messages`."""

from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from secrets import token_hex
from typing import NamedTuple

from msgspec.structs import replace
from typing_extensions import override

from engine.port.events import TokenEvent
from generated.anthropic import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.anthropic.answer import events
from handlers.anthropic.answer.answer import Answer
from handlers.anthropic.answer.draft import MessageDraft
from handlers.anthropic.answer.events import MessageEvent
from handlers.anthropic.errors import to_problem
from handlers.anthropic.request.preparation import Preparation
from handlers.anthropic.request.request import grammar_field, hides_reasoning
from handlers.chat.core import PreparedChat
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.usage import ChatUsage
from handlers.concurrency.limit import HeldPermits
from handlers.errors import ToProblem
from handlers.operations.chat_operation import deltas
from handlers.operations.operation import GeneratingOperation, StreamWriter
from handlers.served_model.served_model import ServedModel


class _Turn(NamedTuple):
    """One answer while it is made. max_tokens: those that the client asks for."""

    chat: PreparedChat
    outputs: ChatOutputs
    draft: MessageDraft
    answer: Answer
    max_tokens: int

    @property
    def counts(self) -> ChatUsage:
        """The counts so far, without the token that the engine makes where none is asked for."""
        if self.max_tokens:
            return self.outputs.usage
        return replace(self.outputs.usage, num_completion_tokens=0, num_reasoning_tokens=0)


class Messages(
    GeneratingOperation[m.MessageCreateParams, m.MessageCreateParams, _Turn, _Turn, m.Message, MessageEvent]
):
    """Answers conversations."""

    def __init__(self, shared: ServedModel, preparation: Preparation) -> None:
        super().__init__(shared, to_problem)
        self._preparation = preparation

    @override
    def mapping(self, body: m.MessageCreateParams) -> ToProblem:
        return lambda error: to_problem(error, grammar_field=grammar_field(body))

    @override
    def plan(self, body: m.MessageCreateParams, *, is_stream: bool) -> m.MessageCreateParams:
        return body

    @override
    def permits(self, active: ActiveRequest, plan: m.MessageCreateParams) -> HeldPermits:
        return active.permits("messages", 1)

    @override
    async def prepare(self, plan: m.MessageCreateParams) -> _Turn:
        chat, _, context_management = await self._preparation.prepare(plan)
        has_room = chat.request.stopping.max_tokens >= plan.max_tokens
        return _Turn(
            chat,
            chat.outputs(lambda _: f"toolu_{token_hex(12)}"),
            MessageDraft(
                chat.request.adapter or self.shared.model_names.served, context_management, has_room=has_room
            ),
            Answer(hides_reasoning=hides_reasoning(plan)),
            plan.max_tokens,
        )

    @override
    async def collect(self, active: ActiveRequest, plan: m.MessageCreateParams, prepared: _Turn) -> _Turn:
        async with aclosing(deltas(prepared.outputs, self.tokens(active, prepared))) as gains:
            async for delta in gains:
                if prepared.max_tokens:
                    deque(prepared.answer.feed(delta), maxlen=0)  # nobody reads the steps
        return prepared

    @override
    def num_tokens(self, result: _Turn) -> int:
        return result.counts.num_completion_tokens

    @override
    def answer(self, plan: m.MessageCreateParams, prepared: _Turn, result: _Turn) -> m.Message:
        return result.draft.ended(result.answer, result.counts)

    @override
    def tokens(self, active: ActiveRequest, prepared: _Turn) -> AsyncGenerator[TokenEvent, None]:
        return active.run(prepared.chat.request)

    @override
    def writer(self, plan: m.MessageCreateParams, prepared: _Turn) -> "_Writer":
        return _Writer(prepared)


class _Writer(StreamWriter[MessageEvent]):
    def __init__(self, turn: _Turn) -> None:
        self._turn = turn
        self._has_begun = False

    @override
    def feed(self, token: TokenEvent) -> Iterator[MessageEvent]:
        turn = self._turn
        delta = turn.outputs.feed(token)
        # Not earlier: a request that the engine refuses is answered with a status of its own.
        if not self._has_begun:
            self._has_begun = True
            yield from events.begin(turn.draft.begun(turn.counts))
        if delta is None or not turn.max_tokens:
            return
        for step in turn.answer.feed(delta):
            yield from events.write(step)

    @override
    def end(self) -> Iterator[MessageEvent]:
        counts = self._turn.counts
        return events.end(self._turn.draft.ended(self._turn.answer, counts), counts)
