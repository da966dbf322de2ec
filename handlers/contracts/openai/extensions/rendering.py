"""The operations that write prompts as tokens for another server's token API, and generate nothing."""

from dataclasses import replace
from secrets import token_hex
from typing import Final

from generated.openai import models as m
from handlers.contracts.openai.chat import operation as chat
from handlers.contracts.openai.chat.operation import Chat
from handlers.contracts.openai.completions import operation as completions
from handlers.contracts.openai.completions.operation import Completions
from handlers.contracts.openai.responses import operation as responses
from handlers.contracts.openai.responses.request.memory import Memory
from handlers.contracts.openai.responses.request.preparation import Preparation
from handlers.contracts.openai.sampling import Body, stop_texts
from handlers.operations.rendering import OwnOptions, render
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, Violation, mapped_errors
from verbatim_kit.runtime.operation import EncodedAnswer

# The token API has no such options, or not on every server, and each changes the answer.
_LACKING: Final = ("use_beam_search", "logprob_token_ids", "suffix", "echo")


class Rendering:
    """Prepares what the operations that generate would submit, and answers with it."""

    def __init__(self, shared: ServedModel, prompts: Completions, memory: Memory) -> None:
        self._shared = shared
        keeping = replace(shared, chat=shared.chat.keeping_files())
        self._chat = Chat(keeping, ())
        self._inputs = Preparation(keeping, memory)
        self._completions = prompts

    async def chat(self, body: m.CreateChatCompletionRequest) -> EncodedAnswer:
        """Return the chat as a request for tokens. Raises the contract's problem if it cannot be answered."""
        with mapped_errors(chat.mapping_of(body)):
            check_options(body)
            prepared = await self._chat.prepare(body)
            name = self._shared.envelope("chatcmpl", body.request_id).id
            (rendered,) = await render(self._shared, [prepared.request], name, _own(body))
        return EncodedAnswer(rendered)

    async def completion(self, body: m.CreateCompletionRequest) -> EncodedAnswer:
        """Return a request for tokens for each prompt. Raises the contract's problem, as `chat` does."""
        with mapped_errors(completions.mapping_of(body)):
            check_options(body)
            requests = await self._completions.prepare(body, self._completions.plan(body))
            name = self._shared.envelope("cmpl", body.request_id).id
            rendered = await render(self._shared, requests, name, _own(body))
        return EncodedAnswer(b"[%b]" % b",".join(rendered))

    async def response(self, body: m.CreateResponseRequest) -> EncodedAnswer:
        """Return the input as a request for tokens. Raises the contract's problem, as `chat` does."""
        with mapped_errors(responses.mapping_of(body)):
            prepared = await self._inputs.prepare(body)
            own = OwnOptions(
                body.model, stop_texts(body), body.skip_special_tokens is not False, body.stream is True
            )
            (rendered,) = await render(self._shared, [prepared.chat.request], f"resp_{token_hex(16)}", own)
        return EncodedAnswer(rendered)


def check_options(body: Body) -> None:
    """Raise Refused for an option that the token API cannot have."""
    lacking = [field for field in _LACKING if getattr(body, field, None)]
    if body.typical_p is not None and body.typical_p < 1:
        lacking.append("typical_p")
    for field in lacking:
        message = f"'{field}' has no place in a rendered request."
        raise Refused(message, field, Violation.UNSUPPORTED_FIELD)


def _own(body: Body) -> OwnOptions:
    options = body.stream_options
    return OwnOptions(
        body.model,
        stop_texts(body),
        body.skip_special_tokens is not False,
        body.stream is True,
        None
        if options is None
        else {
            "include_usage": options.include_usage is True,
            "continuous_usage_stats": options.continuous_usage_stats is True,
        },
    )
