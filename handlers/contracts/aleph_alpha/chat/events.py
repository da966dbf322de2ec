"""Chunks of a streamed chat answer: the role, the text, the end, each in chunks of their own.

A chunk of nothing but text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from collections.abc import Iterator
from typing import Final

import orjson

from engine.port.text.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from handlers.chat.delta import ChatDelta
from handlers.chat.usage import ChatUsage
from handlers.contracts.aleph_alpha.chat.response import chat_logprobs, chat_usage, finish_reason
from handlers.operations.chunk_template import ChunkTemplate
from handlers.served_model.envelope import Envelope
from verbatim_kit.runtime.operation import EncodedEvent

_TEXT_CHOICE: Final = b'{"finish_reason":null,"index":%d,"delta":{"content":%b},"logprobs":null}'


class ChatEvents:
    """Writes the chunks of one streamed answer.

    fingerprint: shown where an answer ends, and with the token counts.
    """

    def __init__(
        self, envelope: Envelope, fingerprint: str, tokenizer: Tokenizer, *, shows_logprobs: bool
    ) -> None:
        self._tokenizer = tokenizer
        self._shows_logprobs = shows_logprobs
        self._begun: set[int] = set()
        self._running = _empty_chunk(envelope, None)
        self._ended = _empty_chunk(envelope, fingerprint)
        self._plain = ChunkTemplate(self._running, _TEXT_CHOICE)

    def encode(self, delta: ChatDelta) -> Iterator[EncodedEvent | m.ChatCompletionChunk]:
        """Yield the chunks of what an answer gains."""
        if delta.index not in self._begun:
            self._begun.add(delta.index)
            first = m.ChatDelta(role="assistant", content="")
            yield _with(self._running, _choice(delta.index, first))
        if self._shows_logprobs and delta.answer_events:
            logprobs = chat_logprobs(delta.answer_events, self._tokenizer)
            yield _with(self._running, _choice(delta.index, m.ChatDelta(content=delta.content), logprobs))
        elif delta.content:
            yield self._plain.fill(delta.index, orjson.dumps(delta.content))
        if delta.finish is not None:
            last = _choice(delta.index, m.ChatDelta())
            last.finish_reason = finish_reason(delta.finish)
            yield _with(self._ended, last)

    def usage(self, counts: ChatUsage) -> m.ChatCompletionChunk:
        """The chunk that follows the last choice, where the client asked for it."""
        return self._ended.model_copy(update={"usage": chat_usage(counts)})


def _choice(index: int, delta: m.ChatDelta, logprobs: m.ChatLogprobs | None = None) -> m.ChatChunkChoice:
    return m.ChatChunkChoice(finish_reason=None, index=index, delta=delta, logprobs=logprobs)


def _with(empty: m.ChatCompletionChunk, choice: m.ChatChunkChoice) -> m.ChatCompletionChunk:
    return empty.model_copy(update={"choices": [choice]})


def _empty_chunk(envelope: Envelope, fingerprint: str | None) -> m.ChatCompletionChunk:
    return m.ChatCompletionChunk(
        id=envelope.id,
        choices=[],
        created=envelope.created,
        model=envelope.model,
        system_fingerprint=fingerprint,
        object="chat.completion.chunk",
        usage=None,
    )
