"""The native operations: `/`, `/generate` and `/generate_stream`."""

from typing import final

from typing_extensions import override

from generated.tgi import models as m
from handlers.service.sequences import GeneratedRequest
from handlers.service.timing import Timing
from handlers.tgi.events import NativeEvents
from handlers.tgi.request import Body, native_params
from handlers.tgi.response import generate_response
from handlers.tgi_family.generation import Generation
from handlers.tgi_family.headers import Headers, compute_time_header, cost_headers
from handlers.tgi_family.params import NativeParams
from handlers.tgi_family.request import NativeRequest


@final
class Native(Generation[Body, m.GenerateResponse, m.StreamResponse]):
    """Text in, text out."""

    @override
    def params(self, body: Body) -> NativeParams:
        return native_params(body)

    @override
    def answer(self, native: NativeRequest, generated: GeneratedRequest) -> m.GenerateResponse:
        return generate_response(native, generated)

    @override
    def events(self, native: NativeRequest) -> NativeEvents:
        return NativeEvents(native)

    @override
    def costs(self, timing: Timing) -> Headers:
        return {**cost_headers(timing), **compute_time_header(timing)}
