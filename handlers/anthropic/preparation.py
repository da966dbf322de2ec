"""Conversations made ready for the engine, to be answered or counted."""

from msgspec.structs import replace

from handlers.anthropic.request import Body, chat_params, request_field
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.service.shared import Shared


class Preparation:
    """Renders and tokenizes conversations for the served model."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    async def prepare(self, body: Body) -> PreparedChat:
        """Prepare in a thread unless the body is short. Raise Refused and its kinds."""
        self._shared.model_names.check(body.model)
        return await self._shared.workers.prepare(self._prepare, body)

    def _prepare(self, body: Body) -> PreparedChat:
        try:
            prepared = self._shared.chat.prepare(chat_params(body))
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        return self._fitted(prepared)

    def _fitted(self, prepared: PreparedChat) -> PreparedChat:
        """Return the chat with no more tokens than there is room for; without any, the engine refuses it."""
        request = prepared.request
        room = max(self._shared.model_info.max_total_tokens - len(request.prompt.token_ids), 1)
        stopping = replace(request.stopping, max_tokens=min(request.stopping.max_tokens, room))
        return replace(prepared, request=replace(request, stopping=stopping))
