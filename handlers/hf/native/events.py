"""Native stream events as JSON text.

Every token but the last is written into a prebuilt envelope, because building its model costs more than the
rest of what the server does for it; a test holds the envelope to the model's own serialisation.
"""

import orjson
from pydantic import MISSING

from engine.events import TokenEvent
from generated.hf import models as m
from generated.operation import EncodedEvent
from handlers.hf.native.response import seed
from handlers.hf.native.tokens import token
from handlers.tgi_family.finish import NATIVE_REASONS, finite
from handlers.tgi_family.request.native_request import NativeRequest


class NativeEvents:
    """Writes the events of one native stream."""

    def __init__(self, native: NativeRequest) -> None:
        self._native = native
        self._num_tokens = 0
        self._text: list[str] = []

    def encode(self, event: TokenEvent) -> EncodedEvent | m.StreamResponse:
        self._num_tokens += 1
        self._text.append(event.text)
        return encode_token(event) if event.finish is None else self._last(event)

    def _last(self, event: TokenEvent) -> m.StreamResponse:
        assert event.finish is not None
        details = m.StreamDetails(
            finish_reason=NATIVE_REASONS[event.finish],
            generated_tokens=self._num_tokens,
            seed=seed(self._native, event.index),
        )
        return m.StreamResponse(
            token=token(event),
            generated_text=self._native.prefix + "".join(self._text),
            details=details if self._native.params.details else MISSING,
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
