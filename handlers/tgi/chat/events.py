"""Chunks of a streamed chat answer as JSON text.

A chunk of nothing but text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from typing import Final

import orjson

from generated.operation import EncodedEvent
from generated.tgi import models as m
from handlers.chat.delta import ChatDelta, ToolCallDelta
from handlers.chat.usage import ChatUsage
from handlers.tgi.chat.response import logprobs
from handlers.tgi.usage import usage
from handlers.tgi_family.server_name import SERVER_NAME
from handlers.wire.chunk_template import ChunkTemplate
from handlers.wire.envelope import Envelope

_TEXT_CHOICE: Final = b'{"delta":{"content":%b},"finish_reason":null,"index":%d,"logprobs":null}'


class ChatEvents:
    """Writes the chunks of one streamed answer; the role comes once for each choice."""

    def __init__(self, envelope: Envelope, *, with_logprobs: bool) -> None:
        self._envelope = envelope
        self._with_logprobs = with_logprobs
        self._begun: set[int] = set()
        self._plain = ChunkTemplate(self._chunk([]), _TEXT_CHOICE)

    def encode(self, delta: ChatDelta) -> EncodedEvent | m.ChatCompletionChunk:
        is_plain = not (delta.tool_calls or delta.finish or self._with_logprobs)
        if is_plain and delta.index in self._begun:
            return self._plain.fill(orjson.dumps(delta.content), delta.index)
        return self._chunk([self._choice(delta)])

    def usage(self, counts: ChatUsage) -> m.ChatCompletionChunk:
        """The chunk that follows the last choice, where the client asked for it."""
        chunk = self._chunk([])
        chunk.usage = usage(counts.num_prompt_tokens, counts.num_completion_tokens)
        return chunk

    def _chunk(self, choices: list[m.ChatCompletionChoice]) -> m.ChatCompletionChunk:
        return m.ChatCompletionChunk(
            id=self._envelope.id,
            object="chat.completion.chunk",
            created=self._envelope.created,
            model=self._envelope.model,
            system_fingerprint=SERVER_NAME,
            choices=choices,
            usage=None,
        )

    def _choice(self, delta: ChatDelta) -> m.ChatCompletionChoice:
        return m.ChatCompletionChoice(
            index=delta.index,
            delta=self._delta(delta),
            logprobs=logprobs(delta.events) if self._with_logprobs else None,
            finish_reason=delta.finish.value if delta.finish else None,
        )

    def _delta(self, delta: ChatDelta) -> m.ChatCompletionDelta:
        new = m.ChatCompletionDelta()
        if delta.index not in self._begun:
            self._begun.add(delta.index)
            new.role = "assistant"
        if delta.content or not (delta.tool_calls or delta.finish):
            new.content = delta.content
        if delta.tool_calls:
            new.tool_calls = [_tool_call(call) for call in delta.tool_calls]
        return new


def _tool_call(call: ToolCallDelta) -> m.DeltaToolCall:
    function = m.Function(name=call.name, arguments=call.arguments)
    return m.DeltaToolCall(index=call.index, id=call.id, type="function", function=function)
