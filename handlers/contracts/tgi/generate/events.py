"""Events of `/generate_stream`.

Every token but the last is written as JSON text, because building its model costs more than the rest of what
the server does for it; a test holds the text to the model's own serialisation.
"""

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

import orjson

from engine.port.events import TokenEvent
from generated.tgi import models as m
from handlers.contracts.tgi.generate.prepared_generate import PreparedGenerate
from handlers.contracts.tgi.generate.tokens import GENERATE_REASONS, finite, token, top_tokens
from verbatim_kit.runtime.operation import EncodedEvent

EventT = TypeVar("EventT")

WriteToken: TypeAlias = Callable[[int, TokenEvent], EncodedEvent]
"""Writes a token before the last, from its number in the stream and its event."""


class GenerateEvents(Generic[EventT]):
    """Writes the events of one stream of `/generate_stream`; indices start at 1.

    event, write_token: give an event the contract's form.
    """

    def __init__(
        self,
        prepared: PreparedGenerate,
        event: Callable[[m.StreamResponse], EventT],
        write_token: WriteToken,
    ) -> None:
        self._prepared = prepared
        self._event = event
        self._write_token = write_token
        self._num_tokens = 0
        self._text: list[str] = []

    def encode(self, event: TokenEvent) -> EncodedEvent | EventT:
        self._num_tokens += 1
        self._text.append(event.text)
        if event.finish is None and not self._prepared.params.top_n_tokens:
            return self._write_token(self._num_tokens, event)
        return self._event(self._model(event))

    def _model(self, event: TokenEvent) -> m.StreamResponse:
        response = m.StreamResponse(
            index=self._num_tokens, token=token(event), generated_text=None, details=None
        )
        if self._prepared.params.top_n_tokens:
            response.top_tokens = top_tokens(event.top_logprobs)
        if event.finish is not None:
            response.generated_text = self._prepared.prefix + "".join(self._text)
            response.details = self._details(event) if self._prepared.params.details else None
        return response

    def _details(self, event: TokenEvent) -> m.StreamDetails:
        assert event.finish is not None
        return m.StreamDetails(
            finish_reason=GENERATE_REASONS[event.finish],
            generated_tokens=self._num_tokens,
            input_length=event.num_prompt_tokens,
            seed=self._prepared.seed,
        )


def encode_token(index: int, event: TokenEvent) -> EncodedEvent:
    """`m.StreamResponse` of a token before the last as JSON text."""
    return EncodedEvent(
        b'{"details":null,"generated_text":null,"index":%d,"token":{"id":%d,"logprob":%b,"special":%b,"text":%b}}'
        % (
            index,
            event.token_id,
            orjson.dumps(finite(event.logprob)),
            b"true" if event.is_special else b"false",
            orjson.dumps(event.token_text),
        )
    )
