"""The contract's operations."""

from typing import Final, final

from pydantic import MISSING
from typing_extensions import override

from generated.anthropic import models as m
from generated.anthropic.operations import (
    CountMessageTokensHeaders,
    CreateMessageHeaders,
    GetModelHeaders,
    ListModelsHeaders,
    Operations,
    RenderMessageHeaders,
)
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.anthropic.errors import to_problem
from handlers.contracts.anthropic.messages import Messages
from handlers.contracts.anthropic.models import Models
from handlers.contracts.anthropic.rendering import Rendering
from handlers.contracts.anthropic.request.preparation import Preparation
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import mapped_errors
from verbatim_kit.runtime.operation import Answer, Call, EventStream

_GENERATES: Final = frozenset({"create_message"})


@final
class AnthropicHandlers(AdmissionControl, Operations):
    """Answers conversations, counts their tokens, and lists the model."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._preparation = Preparation(shared)
        self._messages = Messages(shared, self._preparation)
        self._rendering = Rendering(shared)
        self._models = Models(shared.model_names, shared.model_info.max_total_tokens)

    @override
    async def create_message(
        self,
        arguments: m.CreateMessageArguments,
        body: m.MessageCreateParams,
        call: Call[CreateMessageHeaders],
    ) -> m.Message | EventStream[m.MessageStreamEvent]:
        if body.stream:
            return self._messages.stream(body, call)
        return await self._messages.whole(body, call)

    @override
    async def count_message_tokens(
        self,
        arguments: m.CountMessageTokensArguments,
        body: m.MessageCountTokensParams,
        call: Call[CountMessageTokensHeaders],
    ) -> m.MessageTokensCount:
        with mapped_errors(to_problem):
            prepared = await self._preparation.prepare(body)
        count = m.MessageTokensCount(input_tokens=len(prepared.chat.request.prompt.token_ids))
        if prepared.context_management is not MISSING:
            count.context_management = m.CountTokensContextManagementResponse(
                original_input_tokens=prepared.num_original_tokens
            )
        return count

    @override
    async def render_message(
        self,
        arguments: m.RenderMessageArguments,
        body: m.MessageCreateParams,
        call: Call[RenderMessageHeaders],
    ) -> Answer[m.RenderedRequest]:
        return await self._rendering.message(body)

    @override
    async def list_models(
        self, arguments: m.ListModelsArguments, call: Call[ListModelsHeaders]
    ) -> m.ModelPage:
        with mapped_errors(to_problem):
            return self._models.list(arguments)

    @override
    async def get_model(self, arguments: m.GetModelArguments, call: Call[GetModelHeaders]) -> m.ModelInfo:
        with mapped_errors(to_problem):
            return self._models.retrieve(arguments.model_id)
