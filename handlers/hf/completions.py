"""The operation `/v1/completions`."""

from collections.abc import Sequence
from functools import partial
from typing import final

from typing_extensions import override

from generated.hf import models as m
from handlers.hf.completion_response import CompletionEvents, completion
from handlers.hf.headers import costs
from handlers.hf.sampling import sampling_params, stop_texts
from handlers.service.sequences import GeneratedRequest
from handlers.service.timing import Timing
from handlers.tgi_family import completions as native
from handlers.tgi_family.completion_request import CompletionParams
from handlers.tgi_family.headers import Headers
from handlers.wire.envelope import Envelope
from handlers.wire.missing import given


@final
class Completions(native.Completions[m.CompletionRequest, m.CompletionResponse, m.CompletionStreamResponse]):
    """Continues prompts."""

    @override
    def params(self, body: m.CompletionRequest) -> CompletionParams:
        return CompletionParams(
            prompts=(body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt),
            sampling=partial(sampling_params, body),
            max_tokens=body.max_tokens,
            stop=stop_texts(body.stop),
            suffix=given(body.suffix),
        )

    @override
    def answer(self, envelope: Envelope, generated: Sequence[GeneratedRequest]) -> m.CompletionResponse:
        return completion(envelope, generated)

    @override
    def chunks(self, envelope: Envelope) -> CompletionEvents:
        return CompletionEvents(envelope)

    @override
    def costs(self, timing: Timing) -> Headers:
        return costs(timing)
