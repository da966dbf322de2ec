"""The native operations: `/`, `/generate` and `/generate_stream`."""

from typing import final

from typing_extensions import override

from generated.operation import EncodedEvent
from generated.tgi import models as m
from handlers.active_requests.timing import Timing
from handlers.operations.operation import TokenWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.tgi.native.events import NativeEvents
from handlers.tgi.native.response import generate_response
from handlers.tgi_family import native as family
from handlers.tgi_family.headers import Headers, compute_time_header, cost_headers
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
        return {**cost_headers(timing), **compute_time_header(timing)}
