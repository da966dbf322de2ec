"""The operation that writes a conversation as tokens for a token API, and answers nothing."""

from dataclasses import replace
from secrets import token_hex

from generated.anthropic import models as m
from handlers.contracts.anthropic.messages import mapping_of
from handlers.contracts.anthropic.request.preparation import Preparation
from handlers.contracts.anthropic.request.request import stop_texts
from handlers.operations.rendering import OwnOptions, render
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import mapped_errors
from verbatim_kit.runtime.operation import EncodedAnswer


class Rendering:
    """Prepares what a message would submit, and answers with it."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared
        self._preparation = Preparation(replace(shared, chat=shared.chat.keeping_files()))

    async def message(self, body: m.MessageCreateParams) -> EncodedAnswer:
        """Return the conversation as a request for tokens. Raises the contract's problem."""
        with mapped_errors(mapping_of(body)):
            prepared = await self._preparation.prepare(body)
            own = OwnOptions(body.model, stop_texts(body), stream=body.stream is True)
            request = prepared.chat.request
            (rendered,) = await render(self._shared, [request], f"msg_{token_hex(12)}", own)
        return EncodedAnswer(rendered)
