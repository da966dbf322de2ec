"""Completion answers, whole and in chunks."""

from collections.abc import Sequence
from typing import Final

import orjson

from engine.port.events import TokenEvent
from generated.hf import models as m
from generated.operation import EncodedEvent
from handlers.hf.usage import usage
from handlers.operations.sequences import GeneratedRequest
from handlers.tgi_family.finish import COMPLETION_REASONS
from handlers.wire.chunk_template import ChunkTemplate
from handlers.wire.envelope import Envelope

_TEXT_CHOICE: Final = b'{"text":%b,"index":%d}'


def completion(envelope: Envelope, generated: Sequence[GeneratedRequest]) -> m.CompletionResponse:
    """One choice for each prompt, in the prompts' order; usage is their sum."""
    sequences = [request.sequences[0] for request in generated]
    return m.CompletionResponse(
        id=envelope.id,
        object="text_completion",
        created=envelope.created,
        model=envelope.model,
        choices=[
            m.CompletionChoice(
                text=sequence.text, index=index, finish_reason=COMPLETION_REASONS[sequence.finish]
            )
            for index, sequence in enumerate(sequences)
        ],
        usage=usage(
            sum(request.num_prompt_tokens for request in generated),
            sum(len(sequence.events) for sequence in sequences),
        ),
    )


class CompletionEvents:
    """Writes the chunks of one streamed answer, one a token.

    A chunk that ends nothing goes into a prebuilt envelope; a test holds it to the model's own serialisation.
    """

    def __init__(self, envelope: Envelope) -> None:
        self._envelope = envelope
        self._plain = ChunkTemplate(self._chunk([]), _TEXT_CHOICE)

    def encode(self, index: int, event: TokenEvent) -> EncodedEvent | m.CompletionStreamResponse:
        """Return the chunk of an event. index: the number of its prompt."""
        if event.finish is None:
            return self._plain.fill(orjson.dumps(event.text), index)
        reason = COMPLETION_REASONS[event.finish]
        return self._chunk([m.CompletionChunkChoice(text=event.text, index=index, finish_reason=reason)])

    def _chunk(self, choices: list[m.CompletionChunkChoice]) -> m.CompletionStreamResponse:
        return m.CompletionStreamResponse(
            id=self._envelope.id,
            object="text_completion",
            created=self._envelope.created,
            model=self._envelope.model,
            choices=choices,
        )
