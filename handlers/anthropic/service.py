"""What all operations of the contract share."""

from functools import partial

from msgspec.structs import replace

from handlers.anthropic.errors import to_problem
from handlers.anthropic.request import Body, chat_params, grammar_field, request_field
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.service.exchange import Exchange
from handlers.service.shared import Shared


class Service:
    """One served model under this contract."""

    def __init__(self, shared: Shared) -> None:
        self.exchanges = shared.exchanges
        self.model_names = shared.model_names
        self.max_total_tokens = shared.engine.model_info.max_total_tokens
        self._chat = shared.chat
        self._workers = shared.workers

    def exchange(self, received_s: float, body: Body) -> Exchange:
        """As `Exchanges.open`."""
        return self.exchanges.open(received_s, partial(to_problem, grammar_field=grammar_field(body)))

    async def prepare(self, body: Body) -> PreparedChat:
        """In a thread, since templates of other people's take their time. Raises Refused and its kinds."""
        self.model_names.check(body.model)
        return await self._workers.prepare(self._prepare, body)

    def _prepare(self, body: Body) -> PreparedChat:
        try:
            prepared = self._chat.prepare(chat_params(body))
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        return self._fitted(prepared)

    def _fitted(self, prepared: PreparedChat) -> PreparedChat:
        """With no more tokens to come than the context has room for; the engine refuses where it has none."""
        request = prepared.request
        room = max(self.max_total_tokens - len(request.prompt_token_ids), 1)
        stopping = replace(request.stopping, max_tokens=min(request.stopping.max_tokens, room))
        return replace(prepared, request=replace(request, stopping=stopping))
