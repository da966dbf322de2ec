"""Completion answers, whole and in chunks."""

from collections.abc import Sequence
from typing import Final

import orjson

from engine.port.events import TokenEvent
from generated.operation import EncodedEvent
from generated.tgi import models as m
from handlers.operations.sequences import GeneratedRequest
from handlers.tgi.usage import usage
from handlers.tgi_family.finish import COMPLETION_REASONS
from handlers.tgi_family.server_name import SERVER_NAME
from handlers.wire.chunk_template import ChunkTemplate
from handlers.wire.envelope import Envelope

_TEXT_CHOICE: Final = b'{"finish_reason":null,"index":%d,"logprobs":null,"text":%b}'


def completion(envelope: Envelope, generated: Sequence[GeneratedRequest]) -> m.CompletionFinal:
    """One choice for each prompt, in the prompts' order; usage is their sum."""
    sequences = [request.sequences[0] for request in generated]
    return m.CompletionFinal(
        id=envelope.id,
        object="text_completion",
        created=envelope.created,
        model=envelope.model,
        system_fingerprint=SERVER_NAME,
        choices=[
            m.CompletionComplete(
                index=index,
                text=sequence.text,
                logprobs=None,
                finish_reason=COMPLETION_REASONS[sequence.finish],
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

    def encode(self, index: int, event: TokenEvent) -> EncodedEvent | m.Chunk:
        """Return the chunk of an event. index: the number of its prompt."""
        if event.finish is None:
            return self._plain.fill(index, orjson.dumps(event.text))
        choice = m.CompletionChunkChoice(
            index=index, text=event.text, logprobs=None, finish_reason=COMPLETION_REASONS[event.finish]
        )
        chunk = self._chunk([choice])
        chunk.usage = usage(event.num_prompt_tokens, event.position + 1)
        return chunk

    def _chunk(self, choices: list[m.CompletionChunkChoice]) -> m.Chunk:
        return m.Chunk(
            id=self._envelope.id,
            object="text_completion",
            created=self._envelope.created,
            model=self._envelope.model,
            system_fingerprint=SERVER_NAME,
            choices=choices,
        )
