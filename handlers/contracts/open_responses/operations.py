"""The contract's operations."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Any, Final, TypeAlias, final

from typing_extensions import override

from generated.open_responses import models as m
from generated.open_responses.operations import CreateResponseHeaders, Operations
from generated.openai import models as openai
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.open_responses.answer import ResponseEvent, own_event, own_response
from handlers.contracts.open_responses.chain import Chain
from handlers.contracts.open_responses.request import openai_request
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.responses.answer.events import ResponseEvent as OpenAIEvent
from handlers.contracts.openai.responses.background import Background
from handlers.contracts.openai.responses.operation import Responses
from handlers.contracts.openai.responses.request.memory import Memory
from handlers.contracts.openai.responses.request.preparation import Preparation
from handlers.operations.missing import given
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import mapped_errors
from verbatim_kit.runtime.operation import Answer, Call, EventStream

_Snapshot: TypeAlias = (
    openai.ResponseCreatedEvent
    | openai.ResponseInProgressEvent
    | openai.ResponseCompletedEvent
    | openai.ResponseIncompleteEvent
    | openai.ResponseFailedEvent
)

_to_problem: Final = partial(to_problem, prompt_field="input")


@final
class OpenResponsesHandlers(AdmissionControl, Operations):
    """Answers as OpenAI's responses do, and from the same store."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared.active_requests, _to_problem, frozenset({"create_response"}))
        self._shared = shared
        memory = Memory(shared.store, shared.workers)
        background = Background(shared.store, shared.workers)
        self._responses = Responses(shared, Preparation(shared, memory), memory, background)

    @override
    async def create_response(
        self, body: m.CreateResponseBody, call: Call[CreateResponseHeaders]
    ) -> Answer[m.ResponseResource] | EventStream[m.ResponseStreamingEvent]:
        if call.connection is not None:
            return self._message(body, call, Chain.of(call.connection))
        shared = self._shared
        with mapped_errors(_to_problem):
            request = await shared.workers.prepare(openai_request, body, shared.model_names.served)
        if request.stream:
            return self._own(self._responses.stream(request, call))
        response = await self._responses.whole(request, call)
        return await shared.workers.write(_num_tokens(response), own_response, response)

    async def _message(
        self, body: m.CreateResponseBody, call: Call[Any], chain: Chain
    ) -> AsyncGenerator[ResponseEvent, None]:
        """Answer a message of a WebSocket, which may continue the connection's last response."""
        shared = self._shared
        previous = given(body.previous_response_id)
        with chain.continued(previous) as earlier:
            with mapped_errors(_to_problem):
                request = await shared.workers.prepare(
                    openai_request, body, shared.model_names.served, earlier
                )
            turn = self._turn(request, call, chain, previous if earlier else None)
            async with aclosing(self._own(turn)) as events:
                async for event in events:
                    yield event

    async def _turn(
        self, request: openai.CreateResponseRequest, call: Call[Any], chain: Chain, previous: str | None
    ) -> AsyncGenerator[OpenAIEvent, None]:
        """Yield a response's events, and keep the response.

        previous: the response of the chain that it continues, if any.
        """
        async with aclosing(self._responses.stream(request, call)) as events:
            async for event in events:
                match event:
                    case openai.ResponseCompletedEvent() | openai.ResponseIncompleteEvent():
                        await self._shared.workers.prepare(chain.extend, request, event.response)
                    case openai.ResponseFailedEvent() if previous is not None:
                        chain.clear()
                if previous is not None and isinstance(event, _Snapshot):
                    event.response = event.response.model_copy(update={"previous_response_id": previous})
                yield event

    async def _own(
        self, openai_events: AsyncGenerator[OpenAIEvent, None]
    ) -> AsyncGenerator[ResponseEvent, None]:
        """Yield events in this contract's form."""
        num_events = 0
        async with aclosing(openai_events) as events:
            async for event in events:
                num_events += 1
                if isinstance(event, bytes | openai.ResponseTextDeltaEvent):
                    yield own_event(event)
                else:  # it may repeat all that came before
                    yield await self._shared.workers.write(num_events, own_event, event)


def _num_tokens(response: openai.Response) -> int:
    return 0 if response.usage is None else response.usage.output_tokens
