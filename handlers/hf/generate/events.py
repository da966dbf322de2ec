"""Events of `/generate_stream` as JSON text.

Every token but the last is written into a prebuilt envelope, because building its model costs more than the
rest of what the server does for it; a test holds the envelope to the model's own serialisation.
"""

import orjson
from pydantic import MISSING

from engine.port.events import TokenEvent
from generated.hf import models as m
from generated.operation import EncodedEvent
from handlers.hf.generate.response import seed
from handlers.hf.generate.tokens import token
from handlers.tgi_family.finish import GENERATE_REASONS, finite
from handlers.tgi_family.request.prepared_generate import PreparedGenerate


class GenerateEvents:
    """Writes the events of one stream of `/generate_stream`."""

    def __init__(self, prepared: PreparedGenerate) -> None:
        self._prepared = prepared
        self._num_tokens = 0
        self._text: list[str] = []

    def encode(self, event: TokenEvent) -> EncodedEvent | m.StreamResponse:
        self._num_tokens += 1
        self._text.append(event.text)
        return encode_token(event) if event.finish is None else self._last(event)

    def _last(self, event: TokenEvent) -> m.StreamResponse:
        assert event.finish is not None
        details = m.StreamDetails(
            finish_reason=GENERATE_REASONS[event.finish],
            generated_tokens=self._num_tokens,
            seed=seed(self._prepared, event.index),
        )
        return m.StreamResponse(
            token=token(event),
            generated_text=self._prepared.prefix + "".join(self._text),
            details=details if self._prepared.params.details else MISSING,
        )


def encode_token(event: TokenEvent) -> EncodedEvent:
    """`m.StreamResponse(token=token(event))` as JSON text."""
    logprob = finite(event.logprob)
    return EncodedEvent(
        b'{"token":{"id":%d,"text":%b%b,"special":%b}}'
        % (
            event.token_id,
            orjson.dumps(event.token_text),
            b"" if logprob is None else b',"logprob":%b' % orjson.dumps(logprob),
            b"true" if event.is_special else b"false",
        )
    )
