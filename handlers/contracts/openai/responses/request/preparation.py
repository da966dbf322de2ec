"""Requests for responses made ready for the engine, to be answered or counted."""

from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.port.errors import PromptTooLong
from generated.openai import models as m
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.media import PartContents
from handlers.contracts.openai.responses.request.conversation import Conversation
from handlers.contracts.openai.responses.request.items import Earlier
from handlers.contracts.openai.responses.request.memory import Memory, Recalled
from handlers.contracts.openai.responses.request.request import chat_params, check_rules, request_field
from handlers.contracts.openai.responses.request.tools import Toolbox, tool_lists
from handlers.contracts.openai.responses.request.truncation import Dropped, shortest_cut
from handlers.served_model.request_values import check_bias_ids
from handlers.served_model.served_model import ServedModel

_ROOM_SHARE: Final = 8  # of a truncated prompt's context, one part in so many is left where no bound holds


class Prepared(NamedTuple):
    """A request ready for the engine, its tools, and itself with all that it goes on from."""

    chat: PreparedChat
    tools: Toolbox
    request: Recalled


class Preparation:
    """Renders and tokenizes the inputs of responses for the served model."""

    def __init__(self, shared: ServedModel, memory: Memory) -> None:
        self._shared = shared
        self._memory = memory

    async def prepare(self, body: m.CreateResponseRequest) -> Prepared:
        """Prepare in a thread unless the body is short.

        Raises Refused and its kinds, and PromptTooLong; and for what is not stored, as `Memory.recall` does.
        """
        adapter = self._shared.model_names.resolve(body.model).adapter
        body, earlier = await self._memory.recall(body)
        return await self._shared.media.prepare(self._prepare, body, adapter, earlier)

    def _prepare(
        self, body: m.CreateResponseRequest, contents: PartContents, adapter: str | None, earlier: Earlier
    ) -> Prepared:
        check_rules(body)
        check_bias_ids(body.logit_bias, "logit_bias", self._shared.model_info.vocab_size)
        tools = Toolbox(*tool_lists(body, earlier))
        if body.truncation == "auto" and not isinstance(body.input, str):
            chat = shortest_cut(
                body.input, lambda dropped: self._fitted(body, contents, tools, earlier, dropped)
            )
        else:
            chat = self._chat(body, contents, tools, earlier)
        request = replace(chat.request, adapter=adapter)
        return Prepared(replace(chat, request=request), tools, Recalled(body, earlier))

    def _chat(
        self,
        body: m.CreateResponseRequest,
        contents: PartContents,
        tools: Toolbox,
        earlier: Earlier,
        dropped: Dropped = frozenset(),
    ) -> PreparedChat:
        conversation = Conversation(body.instructions, body.input, dropped, earlier)
        try:
            return self._shared.chat.prepare(chat_params(body, conversation, tools), contents)
        except ChatError as error:
            error.field = request_field(error.field, conversation)
            raise

    def _fitted(
        self,
        body: m.CreateResponseRequest,
        contents: PartContents,
        tools: Toolbox,
        earlier: Earlier,
        dropped: Dropped,
    ) -> PreparedChat:
        """Return the chat without the dropped items. Raise PromptTooLong if it has no room for an answer."""
        chat = self._chat(body, contents, tools, earlier, dropped)
        context = self._shared.model_info.max_total_tokens
        num_prompt_tokens = len(chat.request.prompt.token_ids)
        room = context // _ROOM_SHARE
        if body.max_output_tokens is not None:
            clamps = self._shared.settings.clamp_max_tokens
            room = min(body.max_output_tokens, room) if clamps else body.max_output_tokens
        if num_prompt_tokens + room > context:
            raise PromptTooLong(num_prompt_tokens, room, context)
        return chat
