"""Events of `/generate_stream` as JSON text.

Every token but the last is written into a prebuilt envelope, because building its model costs more than the
rest of what the server does for it; a test holds the envelope to the model's own serialisation.
"""

import orjson

from engine.port.events import TokenEvent
from generated.operation import EncodedEvent
from generated.tgi import models as m
from handlers.tgi.generate.tokens import token, top_tokens
from handlers.tgi_family.finish import GENERATE_REASONS, finite
from handlers.tgi_family.request.prepared_generate import PreparedGenerate


class GenerateEvents:
    """Writes the events of one stream of `/generate_stream`; indices start at 1."""

    def __init__(self, prepared: PreparedGenerate) -> None:
        self._prepared = prepared
        self._num_tokens = 0
        self._text: list[str] = []

    def encode(self, event: TokenEvent) -> EncodedEvent | m.StreamResponse:
        self._num_tokens += 1
        self._text.append(event.text)
        if event.finish is None and not self._prepared.params.top_n_tokens:
            return encode_token(self._num_tokens, event)
        return self._model(event)

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
