"""The operation `/v1/responses`."""

from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import NamedTuple

from typing_extensions import override

from engine.port.events import TokenEvent
from generated.openai import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.reading.logprobs import ScoredToken, scored_tokens
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.tools import faulty_parameters
from handlers.concurrency.limit import HeldPermits
from handlers.errors import ToProblem
from handlers.openai.errors import to_problem
from handlers.openai.responses.answer.events import ResponseEvent, ResponseEvents
from handlers.openai.responses.answer.output import ResponseOutput
from handlers.openai.responses.answer.response import ResponseDraft
from handlers.openai.responses.request.preparation import Preparation
from handlers.openai.responses.request.request import grammar_field, includes_logprobs
from handlers.openai.responses.request.tools import Toolbox, tool_lists
from handlers.operations.chat_operation import deltas
from handlers.operations.operation import GeneratingOperation, StreamWriter
from handlers.runtime.problem import Problem
from handlers.served_model.served_model import ServedModel


def response_logprobs(tokens: Iterable[ScoredToken]) -> list[m.ResponseLogprob]:
    return [_logprob(token) for token in tokens]


def _logprob(token: ScoredToken) -> m.ResponseLogprob:
    return m.ResponseLogprob(
        token=token.text,
        bytes=list(token.bytes),
        logprob=token.logprob,
        top_logprobs=[
            m.ResponseTopLogprob(token=top.text, bytes=list(top.bytes), logprob=top.logprob)
            for top in token.top
        ],
    )


class _Turn(NamedTuple):
    """One answer while it is made."""

    chat: PreparedChat
    outputs: ChatOutputs
    draft: ResponseDraft
    output: ResponseOutput

    def ended(self) -> m.Response:
        return self.draft.ended(self.output.wire(), self.outputs.usage, is_cut=self.output.is_cut)


class Responses(
    GeneratingOperation[
        m.CreateResponseRequest, m.CreateResponseRequest, _Turn, _Turn, m.Response, ResponseEvent
    ]
):
    """Answers items with items."""

    def __init__(self, shared: ServedModel, preparation: Preparation) -> None:
        super().__init__(shared, partial(to_problem, prompt_field="input"))
        self._preparation = preparation

    @override
    def mapping(self, body: m.CreateResponseRequest) -> ToProblem:
        def to_contract(error: Exception) -> Exception:
            field = faulty_parameters(error, lambda: Toolbox(*tool_lists(body)).definitions)
            return to_problem(error, prompt_field="input", grammar_field=field or grammar_field(body))

        return to_contract

    @override
    def plan(self, body: m.CreateResponseRequest, *, is_stream: bool) -> m.CreateResponseRequest:
        return body

    @override
    def permits(self, active: ActiveRequest, plan: m.CreateResponseRequest) -> HeldPermits:
        return active.permits("input", 1)

    @override
    async def prepare(self, plan: m.CreateResponseRequest) -> _Turn:
        chat, tools = await self._preparation.prepare(plan)
        logprobs = self._logprobs if includes_logprobs(plan) else None
        draft = ResponseDraft(plan, chat.request.adapter or self.shared.model_names.served)
        return _Turn(chat, chat.outputs(), draft, ResponseOutput(logprobs, tools))

    @override
    async def collect(self, active: ActiveRequest, plan: m.CreateResponseRequest, prepared: _Turn) -> _Turn:
        async with aclosing(deltas(prepared.outputs, self.tokens(active, prepared))) as gains:
            async for delta in gains:
                deque(prepared.output.feed(delta), maxlen=0)  # nobody reads the steps
        return prepared

    @override
    def num_tokens(self, result: _Turn) -> int:
        return result.outputs.usage.num_completion_tokens

    @override
    def answer(self, plan: m.CreateResponseRequest, prepared: _Turn, result: _Turn) -> m.Response:
        return result.ended()

    @override
    def tokens(self, active: ActiveRequest, prepared: _Turn) -> AsyncGenerator[TokenEvent, None]:
        return active.run(prepared.chat.request)

    @override
    def writer(self, plan: m.CreateResponseRequest, prepared: _Turn) -> "_Writer":
        return _Writer(prepared)

    def _logprobs(self, events: Sequence[TokenEvent]) -> list[m.ResponseLogprob]:
        return response_logprobs(scored_tokens(events, self.shared.tokenizer))


class _Writer(StreamWriter[ResponseEvent]):
    def __init__(self, turn: _Turn) -> None:
        self._turn = turn
        self._events = ResponseEvents()

    @override
    def feed(self, token: TokenEvent) -> Iterator[ResponseEvent]:
        delta = self._turn.outputs.feed(token)
        if delta is None:
            return
        # Not earlier: a request that the engine refuses is answered with a status of its own.
        if not self._events.has_begun:
            yield from self._events.begin(self._turn.draft.in_progress())
        yield from self._events.write(self._turn.output.feed(delta))

    @override
    def end(self) -> Iterable[ResponseEvent]:
        return (self._events.end(self._turn.ended()),)

    @override
    def fail(self, problem: Problem) -> Iterable[ResponseEvent] | None:
        if not self._events.has_begun:
            return None
        self._turn.output.break_off()
        return (self._events.end(self._turn.draft.failed(self._turn.output.wire(), problem)),)
