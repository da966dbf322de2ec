"""Chunks of a streamed chat answer."""

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from pydantic import BaseModel

from generated.tgi import models as m
from handlers.chat.delta import ChatDelta, ToolCallDelta
from handlers.chat.usage import ChatUsage
from handlers.contracts.tgi.chat.response import logprobs
from handlers.contracts.tgi.openai_form import SERVER_NAME, PlainChunks, usage
from handlers.served_model.envelope import Envelope
from verbatim_kit.runtime.operation import EncodedEvent

ChunkT = TypeVar("ChunkT", bound=BaseModel)


class ChatEvents(Generic[ChunkT]):
    """Writes the chunks of one streamed answer; the role comes once for each choice.

    A chunk of nothing but text has no model of its own.
    """

    def __init__(
        self,
        envelope: Envelope,
        form: Callable[[m.ChatCompletionChunk], ChunkT],
        *,
        with_logprobs: bool,
    ) -> None:
        """Begin a stream. form: gives a chunk the contract's form."""
        self._envelope = envelope
        self._form = form
        self._with_logprobs = with_logprobs
        self._plain: dict[int, PlainChunks] = {}  # of each choice that has begun

    def encode(self, delta: ChatDelta) -> EncodedEvent | ChunkT:
        plain = self._plain.get(delta.index)
        if plain is None:
            self._plain[delta.index] = PlainChunks(partial(self._text_chunk, delta.index))
        elif not (delta.tool_calls or delta.finish or self._with_logprobs):
            return plain.fill(delta.content)
        return self._form(self._chunk([self._choice(delta, is_first=plain is None)]))

    def usage(self, counts: ChatUsage) -> ChunkT:
        """The chunk that follows the last choice, where the client asked for it."""
        chunk = self._chunk([])
        chunk.usage = usage(counts.num_prompt_tokens, counts.num_completion_tokens)
        return self._form(chunk)

    def _text_chunk(self, index: int, text: str) -> ChunkT:
        delta = m.ChatCompletionDelta(content=text)
        choice = m.ChatCompletionChoice(index=index, delta=delta, logprobs=None, finish_reason=None)
        return self._form(self._chunk([choice]))

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

    def _choice(self, delta: ChatDelta, *, is_first: bool) -> m.ChatCompletionChoice:
        return m.ChatCompletionChoice(
            index=delta.index,
            delta=_delta(delta, is_first=is_first),
            logprobs=logprobs(delta.events) if self._with_logprobs else None,
            finish_reason=delta.finish.value if delta.finish else None,
        )


def _delta(delta: ChatDelta, *, is_first: bool) -> m.ChatCompletionDelta:
    new = m.ChatCompletionDelta()
    if is_first:
        new.role = "assistant"
    if delta.content or not (delta.tool_calls or delta.finish):
        new.content = delta.content
    if delta.tool_calls:
        new.tool_calls = [_tool_call(call) for call in delta.tool_calls]
    return new


def _tool_call(call: ToolCallDelta) -> m.DeltaToolCall:
    function = m.Function(name=call.name, arguments=call.arguments)
    return m.DeltaToolCall(index=call.index, id=call.id, type="function", function=function)
