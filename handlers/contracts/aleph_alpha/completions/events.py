"""Events of streamed completions.

A piece of nothing but text goes into a prebuilt envelope; a test holds it to the model's own serialisation.
"""

from collections.abc import Iterator

import orjson

from engine.port.events import PromptToken, TokenEvent
from generated.aleph_alpha import models as m
from handlers.contracts.aleph_alpha.completions.writer import CompletionWriter
from verbatim_kit.runtime.operation import EncodedEvent


class CompletionEvents:
    """Writes the events of one streamed answer: pieces, and a summary where a completion ends."""

    def __init__(self, writer: CompletionWriter, model_version: str) -> None:
        self._writer = writer
        self._model_version = model_version
        self._prompt: tuple[PromptToken, ...] = ()

    def encode(self, event: TokenEvent) -> Iterator[EncodedEvent | m.StreamChunk | m.StreamSummary]:
        """Yield a piece for each token that adds something, and a summary at the end."""
        self._prompt = event.prompt or self._prompt  # the request's first event has it, for all completions
        if event.position > 0 and not self._writer.shows_tokens:
            if event.text:
                yield _encode_text(event.index, event.text)
        else:
            chunk = m.StreamChunk(type="stream_chunk", index=event.index, completion="")
            self._writer.fill(chunk, [event], self._prompt if event.position == 0 else None)
            if chunk.completion or self._writer.shows_tokens:
                yield chunk
        if event.finish is not None:
            yield m.StreamSummary(
                type="stream_summary",
                index=event.index,
                model_version=self._model_version,
                finish_reason=self._writer.finish_reason(event.finish),
            )


def _encode_text(index: int, text: str) -> EncodedEvent:
    """`m.StreamChunk(type="stream_chunk", index=index, completion=text)` as JSON text."""
    return EncodedEvent(b'{"type":"stream_chunk","index":%d,"completion":%b}' % (index, orjson.dumps(text)))
