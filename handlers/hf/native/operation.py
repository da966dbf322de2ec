"""The operations `/generate` and `/generate_stream`."""

from typing import final

from typing_extensions import override

from generated.hf import models as m
from generated.operation import EncodedEvent
from handlers.active_requests.timing import Timing
from handlers.hf.headers import costs
from handlers.hf.native.events import NativeEvents
from handlers.hf.native.response import generate_response
from handlers.operations.operation import TokenWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.tgi_family import native as family
from handlers.tgi_family.headers import Headers
from handlers.tgi_family.request.native_request import NativeRequest


@final
class Native(family.Native[m.GenerateResponse, m.StreamResponse | EncodedEvent]):
    """Text in, text out."""

    @override
    def answer(
        self, plan: family.NativePlan, prepared: NativeRequest, result: GeneratedRequest
    ) -> m.GenerateResponse:
        return generate_response(prepared, result)

    @override
    def writer(
        self, plan: family.NativePlan, prepared: NativeRequest
    ) -> TokenWriter[m.StreamResponse | EncodedEvent]:
        return TokenWriter(NativeEvents(prepared).encode)

    @override
    def costs(self, timing: Timing) -> Headers:
        return costs(timing)
