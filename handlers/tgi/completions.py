"""The operation `/v1/completions`."""

from collections.abc import Sequence
from typing import final

from typing_extensions import override

from engine.request import SamplingParams
from generated.tgi import models as m
from handlers.service.seed import draw_seed
from handlers.service.sequences import GeneratedRequest
from handlers.tgi.chat_request import stop_texts
from handlers.tgi.completion_response import CompletionEvents, completion
from handlers.tgi.sampling import openai_sampling
from handlers.tgi_family import completions as native
from handlers.tgi_family.completion_request import CompletionParams
from handlers.wire.envelope import Envelope


@final
class Completions(native.Completions[m.CompletionRequest, m.CompletionFinal, m.Chunk]):
    """Continues prompts."""

    @override
    def params(self, body: m.CompletionRequest) -> CompletionParams:
        def sampling() -> SamplingParams:
            return openai_sampling(body, draw_seed() if body.seed is None else body.seed)

        return CompletionParams(
            prompts=(body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt),
            sampling=sampling,
            max_tokens=body.max_tokens,
            stop=stop_texts(body.stop),
            suffix=body.suffix,
        )

    @override
    def answer(self, envelope: Envelope, generated: Sequence[GeneratedRequest]) -> m.CompletionFinal:
        return completion(envelope, generated)

    @override
    def chunks(self, envelope: Envelope) -> CompletionEvents:
        return CompletionEvents(envelope)
