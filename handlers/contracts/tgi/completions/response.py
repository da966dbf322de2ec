"""Completion answers, whole and in chunks."""

from collections.abc import Callable, Sequence
from typing import Final, Generic, Literal, TypeVar

from pydantic import BaseModel

from engine.port.events import FinishReason, TokenEvent
from generated.tgi import models as m
from handlers.contracts.tgi.openai_form import SERVER_NAME, PlainChunks, usage
from handlers.operations.sequences import GeneratedRequest
from handlers.served_model.envelope import Envelope
from verbatim_kit.runtime.operation import EncodedEvent

ChunkT = TypeVar("ChunkT", bound=BaseModel)

_REASONS: Final[dict[FinishReason, Literal["stop", "length"]]] = {
    FinishReason.END_TOKEN: "stop",
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
}


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
                finish_reason=_REASONS[sequence.finish],
            )
            for index, sequence in enumerate(sequences)
        ],
        usage=usage(
            sum(request.num_prompt_tokens for request in generated),
            sum(len(sequence.events) for sequence in sequences),
        ),
    )


class CompletionEvents(Generic[ChunkT]):
    """Writes the chunks of one streamed answer, one a token.

    A chunk that ends nothing has no model of its own.
    """

    def __init__(self, envelope: Envelope, form: Callable[[m.Chunk], ChunkT]) -> None:
        """Begin a stream. form: gives a chunk the contract's form."""
        self._envelope = envelope
        self._form = form
        self._plain: dict[int, PlainChunks] = {}  # of each prompt

    def encode(self, index: int, event: TokenEvent) -> EncodedEvent | ChunkT:
        """Return the chunk of an event. index: the number of its prompt."""
        if event.finish is None:
            if index not in self._plain:
                self._plain[index] = PlainChunks(lambda text: self._form(self._chunk(index, text)))
            return self._plain[index].fill(event.text)
        chunk = self._chunk(index, event.text, _REASONS[event.finish])
        chunk.usage = usage(event.num_prompt_tokens, event.position + 1)
        return self._form(chunk)

    def _chunk(
        self, index: int, text: str, finish_reason: Literal["stop", "length"] | None = None
    ) -> m.Chunk:
        choice = m.CompletionChunkChoice(index=index, text=text, logprobs=None, finish_reason=finish_reason)
        return m.Chunk(
            id=self._envelope.id,
            object="text_completion",
            created=self._envelope.created,
            model=self._envelope.model,
            system_fingerprint=SERVER_NAME,
            choices=[choice],
        )
