"""The operation `/v1/completions`."""

from collections.abc import Sequence
from typing import final

from typing_extensions import override

from engine.port.request import GenerationRequest
from generated.operation import EncodedEvent
from generated.tgi import models as m
from handlers.operations.operation import TokenWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.tgi.chat.request import stop_texts
from handlers.tgi.completions.response import CompletionEvents, completion
from handlers.tgi.sampling import openai_sampling
from handlers.tgi_family import completions as family
from handlers.tgi_family.request.completion_request import CompletionParams


@final
class Completions(family.Completions[m.CompletionFinal, m.Chunk | EncodedEvent]):
    """Continues prompts."""

    @override
    def answer(
        self,
        plan: CompletionParams,
        prepared: Sequence[GenerationRequest],
        result: Sequence[GeneratedRequest],
    ) -> m.CompletionFinal:
        return completion(self.shared.envelope("cmpl"), result)

    @override
    def writer(
        self, plan: CompletionParams, prepared: Sequence[GenerationRequest]
    ) -> TokenWriter[m.Chunk | EncodedEvent]:
        chunks = CompletionEvents(self.shared.envelope("cmpl"))
        return TokenWriter(lambda token: chunks.encode(*token))


def completion_params(body: m.CompletionRequest) -> CompletionParams:
    """Return what the body asks for, in neutral terms."""
    return CompletionParams(
        prompts=(body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt),
        sampling=openai_sampling(body),
        max_tokens=body.max_tokens,
        stop=stop_texts(body.stop),
        suffix=body.suffix,
    )
