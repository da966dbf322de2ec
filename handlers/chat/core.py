"""From a neutral chat request to the engine's, and to the reader of its output: the one path for all contracts."""

import msgspec

from engine.request import GenerationRequest
from handlers.chat.output import ChatOutputs
from handlers.chat.params import ChatParams


class PreparedChat(msgspec.Struct, frozen=True, kw_only=True):
    """A chat request ready to be submitted.

    prompt_text: the rendered conversation, special tokens as text.
    """

    prompt_text: str
    request: GenerationRequest

    def outputs(self) -> ChatOutputs:
        """A fresh reader of the request's events."""
        raise NotImplementedError


class ChatCore:
    """Renders conversations for one model.

    Rendering and tokenising take milliseconds of CPU time for long conversations; call `prepare` in a worker thread.
    """

    def prepare(self, params: ChatParams) -> PreparedChat:
        """The engine's request for a chat. Raises from `handlers.chat.errors`."""
        raise NotImplementedError
