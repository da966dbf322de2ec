"""Conversations made ready for the engine, to be answered or counted."""

from typing import NamedTuple

from msgspec.structs import replace
from pydantic import MISSING

from generated.anthropic import models as m
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.media import PartContents
from handlers.contracts.anthropic.request.context_edits import ShortenedChat
from handlers.contracts.anthropic.request.request import Body, chat_params, request_field
from handlers.operations.missing import given
from handlers.served_model.served_model import ServedModel


class PreparedMessages(NamedTuple):
    """A conversation that is ready.

    num_original_tokens: of the prompt before the request's edits.
    context_management: the edits that changed it; MISSING where the request asks for none.
    """

    chat: PreparedChat
    num_original_tokens: int
    context_management: m.ContextManagementResponse | MISSING


class Preparation:
    """Renders and tokenizes conversations for the served model."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared

    async def prepare(self, body: Body) -> PreparedMessages:
        """Prepare in a thread unless the body is short. Raise Refused and its kinds."""
        adapter = self._shared.model_names.resolve(body.model).adapter
        return await self._shared.media.prepare(self._prepare, body, adapter)

    def _prepare(self, body: Body, contents: PartContents, adapter: str | None) -> PreparedMessages:
        try:
            chat = ShortenedChat(self._shared.chat, replace(chat_params(body), adapter=adapter), contents)
            config = body.context_management
            if config is None:
                prepared = self._fitted(chat.prepare())
                return PreparedMessages(prepared, _num_tokens(prepared), MISSING)
            num_original_tokens = chat.num_tokens()
            applied = [
                chat.apply(edit, f"context_management.edits[{place}]")
                for place, edit in enumerate(given(config.edits) or ())
            ]
            response = m.ContextManagementResponse(
                applied_edits=[edit for edit in applied if edit is not None]
            )
            return PreparedMessages(self._fitted(chat.prepare()), num_original_tokens, response)
        except ChatError as error:
            error.field = request_field(error.field)
            raise

    def _fitted(self, prepared: PreparedChat) -> PreparedChat:
        """Return the chat with no more tokens than there is room for; without any, the engine refuses it.

        An engine without thinking budgets does not bound thoughts: Anthropic calls the budget a target, and
        agents send one with every request.
        """
        request = prepared.request.clamped(self._shared.model_info.max_total_tokens)
        if not self._shared.engine.capabilities.thinking_budget:
            request = replace(request, sampling=replace(request.sampling, thinking_budget=None))
        return replace(prepared, request=request)


def _num_tokens(prepared: PreparedChat) -> int:
    return len(prepared.request.prompt.token_ids)
