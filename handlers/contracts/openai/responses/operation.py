"""The operation `/v1/responses`."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Final, NamedTuple

from engine.port.admission import check_request
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from generated.openai import models as m
from handlers.access.visits.visit import current_visit
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.reading.logprobs import ScoredToken, scored_tokens
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.tools import faulty_parameters
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.responses.answer.events import ResponseEvent, ResponseEvents
from handlers.contracts.openai.responses.answer.output import ResponseOutput
from handlers.contracts.openai.responses.answer.response import ResponseDraft
from handlers.contracts.openai.responses.background import Background, Run
from handlers.contracts.openai.responses.request.memory import Memory, Recalled
from handlers.contracts.openai.responses.request.preparation import Preparation
from handlers.contracts.openai.responses.request.request import grammar_field, includes_logprobs
from handlers.contracts.openai.responses.request.tools import Toolbox, tool_lists
from handlers.served_model.served_model import ServedModel
from handlers.store.record import StoreError
from verbatim_kit.errors import ToProblem
from verbatim_kit.runtime.operation import Call, EventStream
from verbatim_kit.runtime.problem import InternalError, Problem

_log: Final = logging.getLogger(__name__)


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


def mapping_of(body: m.CreateResponseRequest) -> ToProblem:
    """Return how errors of a request become problems."""

    def to_contract(error: Exception) -> Exception:
        field = faulty_parameters(error, lambda: Toolbox(*tool_lists(body)).definitions)
        return to_problem(
            error,
            prompt_field="input",
            grammar_field=field or grammar_field(body),
            budget_field="reasoning.max_tokens",
        )

    return to_contract


class _Turn(NamedTuple):
    """One answer while it is made. request: with all that it goes on from."""

    request: Recalled
    chat: PreparedChat
    outputs: ChatOutputs
    draft: ResponseDraft
    output: ResponseOutput

    def ended(self) -> m.Response:
        return self.draft.ended(self.output.wire(), self.outputs.usage, is_cut=self.output.is_cut)


class Responses:
    """Answers items with items."""

    def __init__(
        self, shared: ServedModel, preparation: Preparation, memory: Memory, background: Background
    ) -> None:
        self._shared = shared
        self._preparation = preparation
        self._memory = memory
        self._background = background

    async def create(
        self, body: m.CreateResponseRequest, call: Call[Any]
    ) -> m.Response | EventStream[m.ResponseStreamEvent]:
        """Answer as the request asks for: whole or with events, now or in the background."""
        if body.background:
            return self._stream_later(body, call) if body.stream else await self._queue(body, call)
        return self.stream(body, call) if body.stream else await self.whole(body, call)

    async def whole(self, body: m.CreateResponseRequest, call: Call[Any]) -> m.Response:
        """Answer in one piece."""
        async with self._begin(body, call) as (active, turn):
            async with aclosing(active.run(turn.chat.request)) as tokens:
                async for token in tokens:
                    if (delta := turn.outputs.feed(token)) is not None:
                        deque(turn.output.feed(delta), maxlen=0)  # nobody reads the steps
            num_tokens = turn.outputs.usage.num_completion_tokens
            response = await self._shared.workers.write(num_tokens, turn.ended)
            return await self._memory.keep(turn.request, response)

    async def stream(
        self, body: m.CreateResponseRequest, call: Call[Any]
    ) -> AsyncGenerator[ResponseEvent, None]:
        """Answer with events. A failure after the first of them is reported by the last."""
        events = ResponseEvents()
        turn: _Turn | None = None
        try:
            async with self._begin(body, call) as (active, turn):
                async with aclosing(self._written(active, turn, events)) as written:
                    async for event in written:
                        yield event
                yield events.end(await self._memory.keep(turn.request, turn.ended()))
        except Problem as problem:
            if turn is None or not events.has_begun:
                raise
            turn.output.break_off()
            yield events.end(turn.draft.failed(turn.output.wire(), problem))

    async def _written(
        self, active: ActiveRequest, turn: _Turn, events: ResponseEvents
    ) -> AsyncGenerator[ResponseEvent, None]:
        """Yield the events but those before it is in progress, and the last."""
        async with aclosing(active.run(turn.chat.request)) as tokens:
            async for token in tokens:
                if (delta := turn.outputs.feed(token)) is None:
                    continue
                # Not earlier: a request that the engine refuses is answered with a status of its own.
                if not events.is_in_progress:
                    for event in events.begin(turn.draft.in_progress()):
                        yield event
                for event in events.write(turn.output.feed(delta)):
                    yield event

    async def _queue(self, body: m.CreateResponseRequest, call: Call[Any]) -> m.Response:
        """Begin to answer in the background, and return the response before its beginning."""
        queued = asyncio.get_running_loop().create_future()
        self._shared.background.start(self._answer_later(body, call, queued))
        response: m.Response = await queued
        return response

    async def _stream_later(
        self, body: m.CreateResponseRequest, call: Call[Any]
    ) -> AsyncGenerator[ResponseEvent, None]:
        """Begin to answer in the background, and yield the events that are stored."""
        response = await self._queue(body, call)
        async with aclosing(self._background.events(response.id)) as events:
            async for event in events:
                yield event

    async def _answer_later(
        self, body: m.CreateResponseRequest, call: Call[Any], queued: asyncio.Future[m.Response]
    ) -> None:
        """Answer a request whose client need not stay. It holds its place among requests until its end.

        queued: gets the response when it is stored, or the problem with the request.
        """
        if (visit := current_visit.get()) is not None:  # the request's own ends before this
            current_visit.set(replace(visit, timing=None))
        events = ResponseEvents()
        turn: _Turn | None = None
        run: Run | None = None
        try:
            async with self._begin(body, call) as (active, turn):
                self._check(turn.chat.request)
                if queued.cancelled():
                    return  # the client left, and could not name what is made for it
                response = turn.draft.queued()
                run = await self._background.begin(turn.request, response, events.queue(response))
                if not queued.cancelled():
                    queued.set_result(response)
                async with run.kept(), aclosing(self._written(active, turn, events)) as written:
                    async for event in written:
                        if not run.is_in_progress:
                            await run.proceed(turn.draft.in_progress())
                        run.note(event)
                response = turn.ended()
        except Exception as error:
            problem = error if isinstance(error, Problem) else InternalError()
            if problem is not error:
                _log.exception("a response in the background failed")
            if turn is None or run is None:
                if not queued.done():
                    queued.set_exception(problem)
                return
            turn.output.break_off()
            response = turn.draft.failed(turn.output.wire(), problem)
        except asyncio.CancelledError:
            queued.cancel()
            if run is None or not run.is_unwanted:
                raise
            return
        with suppress(StoreError):  # it is given up as lost, then
            await run.end(response, events.end(response))

    def _check(self, request: GenerationRequest) -> None:
        """Raise what the engine raises for a request that it never runs."""
        if self._shared.settings.clamp_max_tokens:
            request = request.clamped(self._shared.model_info.max_total_tokens)
        check_request(request, self._shared.model_info, self._shared.engine.adapters.names)

    @asynccontextmanager
    async def _begin(
        self, body: m.CreateResponseRequest, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, _Turn]]:
        """Check and prepare a request, which is active in the block."""
        with (
            self._shared.active_requests.open(call.received_s, mapping_of(body)) as active,
            active.permits("input", 1),
        ):
            chat, tools, request = await self._preparation.prepare(body)
            logprobs = self._logprobs if includes_logprobs(body) else None
            model = chat.request.adapter or self._shared.model_names.served
            draft = ResponseDraft(body, model, is_stored=self._memory.stores(body))
            yield active, _Turn(request, chat, chat.outputs(), draft, ResponseOutput(logprobs, tools))

    def _logprobs(self, events: Sequence[TokenEvent]) -> list[m.ResponseLogprob]:
        return response_logprobs(scored_tokens(events, self._shared.tokenizer))
