"""The operations `/generate` and `/generate_stream`."""

from typing import final

from typing_extensions import override

from generated.hf import models as m
from generated.operation import EncodedEvent
from handlers.active_requests.timing import Timing
from handlers.hf.generate.events import GenerateEvents
from handlers.hf.generate.response import generate_response
from handlers.hf.headers import costs
from handlers.operations.operation import TokenWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.tgi_family import generate as family
from handlers.tgi_family.headers import Headers
from handlers.tgi_family.request.prepared_generate import PreparedGenerate


@final
class Generate(family.Generate[m.GenerateResponse, m.StreamResponse | EncodedEvent]):
    """Text in, text out."""

    @override
    def answer(
        self, plan: family.GeneratePlan, prepared: PreparedGenerate, result: GeneratedRequest
    ) -> m.GenerateResponse:
        return generate_response(prepared, result)

    @override
    def writer(
        self, plan: family.GeneratePlan, prepared: PreparedGenerate
    ) -> TokenWriter[m.StreamResponse | EncodedEvent]:
        return TokenWriter(GenerateEvents(prepared).encode)

    @override
    def costs(self, timing: Timing) -> Headers:
        return costs(timing)
