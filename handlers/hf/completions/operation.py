"""The operation `/v1/completions`."""

from collections.abc import Sequence
from typing import final

from typing_extensions import override

from engine.port.request import GenerationRequest
from generated.hf import models as m
from generated.operation import EncodedEvent
from handlers.active_requests.timing import Timing
from handlers.hf.completions.response import CompletionEvents, completion
from handlers.hf.headers import costs
from handlers.hf.sampling import sampling_params, stop_texts
from handlers.operations.operation import TokenWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.tgi_family import completions as family
from handlers.tgi_family.headers import Headers
from handlers.tgi_family.request.completion_request import CompletionParams
from handlers.wire.missing import given


@final
class Completions(family.Completions[m.CompletionResponse, m.CompletionStreamResponse | EncodedEvent]):
    """Continues prompts."""

    @override
    def answer(
        self,
        plan: CompletionParams,
        prepared: Sequence[GenerationRequest],
        result: Sequence[GeneratedRequest],
    ) -> m.CompletionResponse:
        return completion(self.shared.envelope("cmpl"), result)

    @override
    def writer(
        self, plan: CompletionParams, prepared: Sequence[GenerationRequest]
    ) -> TokenWriter[m.CompletionStreamResponse | EncodedEvent]:
        chunks = CompletionEvents(self.shared.envelope("cmpl"))
        return TokenWriter(lambda token: chunks.encode(*token))

    @override
    def costs(self, timing: Timing) -> Headers:
        return costs(timing)


def completion_params(body: m.CompletionRequest) -> CompletionParams:
    """Return what the body asks for, in neutral terms."""
    return CompletionParams(
        prompts=(body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt),
        sampling=sampling_params(body),
        max_tokens=body.max_tokens,
        stop=stop_texts(body.stop),
        suffix=given(body.suffix),
    )
