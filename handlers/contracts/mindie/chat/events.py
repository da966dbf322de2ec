"""Chunks of a streamed chat answer. Each names the role; the last of an answer brings no new text.

A chunk of nothing but text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from collections import defaultdict
from typing import Final

import orjson

from engine.port.text.tokenizer import Tokenizer
from generated.mindie import models as m
from handlers.chat.delta import ChatDelta, ToolCallDelta
from handlers.contracts.mindie.chat.response import logprobs
from handlers.operations.chunk_template import ChunkTemplate
from handlers.served_model.envelope import Envelope
from verbatim_kit.runtime.operation import EncodedEvent

_TEXT_CHOICE: Final = b'{"index":%d,"delta":{"role":"assistant","content":%b},"finish_reason":null}'


class ChatEvents:
    """Writes the chunks of one streamed answer.

    tokenizer: of the log-probabilities; None where none are shown.
    is_full_text: whether each chunk repeats the text so far, thoughts among themselves.
    """

    def __init__(self, envelope: Envelope, tokenizer: Tokenizer | None, *, is_full_text: bool) -> None:
        self._tokenizer = tokenizer
        self._is_full_text = is_full_text
        self._contents: defaultdict[int, str] = defaultdict(str)  # by answer, where chunks repeat them
        self._reasoning: defaultdict[int, str] = defaultdict(str)
        self._empty = m.ChatCompletionChunk(
            id=envelope.id,
            object="chat.completion.chunk",
            created=envelope.created,
            model=envelope.model,
            choices=[],
        )
        self._plain = ChunkTemplate(self._empty, _TEXT_CHOICE)

    def piece(self, delta: ChatDelta) -> EncodedEvent | m.ChatCompletionChunk | None:
        """Return the chunk of what an answer gains; None if that is nothing but its end."""
        has_logprobs = self._tokenizer is not None and bool(delta.answer_events)
        if not (delta.content or delta.reasoning or delta.tool_calls or has_logprobs):
            return None
        content = self._content(delta)
        if not (delta.reasoning or delta.tool_calls or has_logprobs or self._is_full_text):
            return self._plain.fill(delta.index, orjson.dumps(content))
        choice = m.ChunkChoice(index=delta.index, delta=self._delta(delta, content), finish_reason=None)
        if self._tokenizer is not None and has_logprobs:
            choice.logprobs = logprobs(delta.answer_events, self._tokenizer)
        return self._empty.model_copy(update={"choices": [choice]})

    def end(self, delta: ChatDelta, usage: m.Usage | None) -> m.ChatCompletionChunk:
        """The last chunk of an answer. usage: in the last one of all."""
        assert delta.finish is not None, "an answer ends with its last delta"
        piece = m.Delta(role="assistant", content=self._contents[delta.index])
        if self._reasoning[delta.index]:
            piece.reasoning_content = self._reasoning[delta.index]
        choice = m.ChunkChoice(index=delta.index, delta=piece, finish_reason=delta.finish.value)
        chunk = self._empty.model_copy(update={"choices": [choice]})
        if self._is_full_text:
            chunk.full_text = self._contents[delta.index]
        if usage is not None:
            chunk.usage = usage
        return chunk

    def _content(self, delta: ChatDelta) -> str:
        if not self._is_full_text:
            return delta.content
        self._contents[delta.index] += delta.content
        return self._contents[delta.index]

    def _delta(self, delta: ChatDelta, content: str) -> m.Delta:
        piece = m.Delta(role="assistant", content=content)
        reasoning = delta.reasoning
        if self._is_full_text:
            self._reasoning[delta.index] += reasoning
            reasoning = self._reasoning[delta.index]
        if reasoning:
            piece.reasoning_content = reasoning
        if delta.tool_calls:
            piece.tool_calls = [_tool_call(call) for call in delta.tool_calls]
        return piece


def _tool_call(call: ToolCallDelta) -> m.ToolCallChunk:
    chunk = m.ToolCallChunk(index=call.index, function=m.CalledFunctionChunk(arguments=call.arguments))
    if call.name is not None and call.id is not None:
        chunk.function.name, chunk.id, chunk.type = call.name, call.id, "function"
    return chunk
