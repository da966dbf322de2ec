"""The operation `/v1/messages`."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager
from secrets import token_hex
from typing import Any, NamedTuple

from msgspec.structs import replace

from engine.port.events import TokenEvent
from generated.anthropic import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.usage import ChatUsage
from handlers.contracts.anthropic.answer import events
from handlers.contracts.anthropic.answer.answer import Answer, Step
from handlers.contracts.anthropic.answer.draft import MessageDraft
from handlers.contracts.anthropic.answer.events import MessageEvent
from handlers.contracts.anthropic.errors import to_problem
from handlers.contracts.anthropic.request.preparation import Preparation
from handlers.contracts.anthropic.request.request import grammar_field, hides_reasoning
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import ToProblem
from verbatim_kit.runtime.operation import Call


def mapping_of(body: m.MessageCreateParams) -> ToProblem:
    """Return how errors of a request become problems."""
    return lambda error: to_problem(error, grammar_field=grammar_field(body, error))


class _Turn(NamedTuple):
    """One answer while it is made. max_tokens: those that the client asks for."""

    chat: PreparedChat
    outputs: ChatOutputs
    draft: MessageDraft
    answer: Answer
    max_tokens: int

    def steps(self, token: TokenEvent) -> Iterable[Step]:
        """Read a token, and return the steps that the answer takes with it."""
        delta = self.outputs.feed(token)
        return self.answer.feed(delta) if delta is not None and self.max_tokens else ()

    @property
    def counts(self) -> ChatUsage:
        """The counts so far, without the token that the engine makes where none is asked for."""
        if self.max_tokens:
            return self.outputs.usage
        return replace(self.outputs.usage, num_completion_tokens=0, num_reasoning_tokens=0)


class Messages:
    """Answers conversations."""

    def __init__(self, shared: ServedModel, preparation: Preparation) -> None:
        self._shared = shared
        self._preparation = preparation

    async def whole(self, body: m.MessageCreateParams, call: Call[Any]) -> m.Message:
        """Answer in one piece."""
        async with self._begin(body, call) as (active, turn):
            async with aclosing(active.run(turn.chat.request)) as tokens:
                async for token in tokens:
                    deque(turn.steps(token), maxlen=0)  # nobody reads them
            counts = turn.counts
            return await self._shared.workers.write(
                counts.num_completion_tokens, turn.draft.ended, turn.answer, counts
            )

    async def stream(
        self, body: m.MessageCreateParams, call: Call[Any]
    ) -> AsyncGenerator[MessageEvent, None]:
        """Answer with events."""
        async with self._begin(body, call) as (active, turn):
            has_begun = False
            async with aclosing(active.run(turn.chat.request)) as tokens:
                async for token in tokens:
                    steps = turn.steps(token)
                    # Not earlier: a request that the engine refuses is answered with a status of its own.
                    if not has_begun:
                        has_begun = True
                        for event in events.begin(turn.draft.begun(turn.counts)):
                            yield event
                    for step in steps:
                        for event in events.write(step):
                            yield event
            counts = turn.counts
            for event in events.end(turn.draft.ended(turn.answer, counts), counts):
                yield event

    @asynccontextmanager
    async def _begin(
        self, body: m.MessageCreateParams, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, _Turn]]:
        """Check and prepare a request, which is active in the block."""
        with (
            self._shared.active_requests.open(call.received_s, mapping_of(body)) as active,
            active.permits("messages", 1),
        ):
            chat, _, context_management = await self._preparation.prepare(body)
            has_room = chat.request.stopping.max_tokens >= body.max_tokens
            model = chat.request.adapter or self._shared.model_names.served
            yield (
                active,
                _Turn(
                    chat,
                    chat.outputs(lambda _: f"toolu_{token_hex(12)}"),
                    MessageDraft(model, context_management, has_room=has_room),
                    Answer(hides_reasoning=hides_reasoning(body)),
                    body.max_tokens,
                ),
            )
