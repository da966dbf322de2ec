"""Chunks of a streamed chat answer as JSON text.

A chunk of nothing but text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from typing import Final

import orjson
from pydantic import MISSING

from generated.hf import models as m
from generated.operation import EncodedEvent
from handlers.chat.delta import ChatDelta, ToolCallDelta
from handlers.chat.usage import ChatUsage
from handlers.hf.chat.response import logprobs
from handlers.hf.usage import usage
from handlers.tgi_family.server_name import SERVER_NAME
from handlers.wire.chunk_template import ChunkTemplate
from handlers.wire.envelope import Envelope

_TEXT_CHOICE: Final = b'{"index":%d,"delta":{"content":%b}}'


class ChatEvents:
    """Writes the chunks of one streamed answer; the role comes once for each choice."""

    def __init__(self, envelope: Envelope, *, with_logprobs: bool) -> None:
        self._envelope = envelope
        self._with_logprobs = with_logprobs
        self._begun: set[int] = set()
        self._plain = ChunkTemplate(self._chunk([]), _TEXT_CHOICE)

    def encode(self, delta: ChatDelta) -> EncodedEvent | m.ChatCompletionStreamResponse:
        is_plain = not (delta.tool_calls or delta.finish or self._with_logprobs)
        if is_plain and delta.index in self._begun:
            return self._plain.fill(delta.index, orjson.dumps(delta.content))
        return self._chunk([self._choice(delta)])

    def usage(self, counts: ChatUsage) -> m.ChatCompletionStreamResponse:
        """The chunk that follows the last choice, where the client asked for it."""
        chunk = self._chunk([])
        chunk.usage = usage(counts.num_prompt_tokens, counts.num_completion_tokens)
        return chunk

    def _chunk(self, choices: list[m.ChatChunkChoice]) -> m.ChatCompletionStreamResponse:
        return m.ChatCompletionStreamResponse(
            id=self._envelope.id,
            object="chat.completion.chunk",
            created=self._envelope.created,
            model=self._envelope.model,
            system_fingerprint=SERVER_NAME,
            choices=choices,
        )

    def _choice(self, delta: ChatDelta) -> m.ChatChunkChoice:
        return m.ChatChunkChoice(
            index=delta.index,
            delta=self._delta(delta),
            finish_reason=delta.finish.value if delta.finish else MISSING,
            logprobs=logprobs(delta.events) if self._with_logprobs else MISSING,
        )

    def _delta(self, delta: ChatDelta) -> m.Delta:
        new = m.Delta()
        if delta.index not in self._begun:
            self._begun.add(delta.index)
            new.role = "assistant"
        if delta.content or not (delta.tool_calls or delta.finish):
            new.content = delta.content
        if delta.tool_calls:
            new.tool_calls = [_tool_call(call) for call in delta.tool_calls]
        return new


def _tool_call(call: ToolCallDelta) -> m.DeltaToolCall:
    """Its id, kind and name come once, in the first piece."""
    if call.id is None or call.name is None:
        return m.DeltaToolCall(index=call.index, function=m.DeltaFunction(arguments=call.arguments))
    function = m.DeltaFunction(name=call.name, arguments=call.arguments)
    return m.DeltaToolCall(index=call.index, id=call.id, type="function", function=function)
