"""The operations `/generate` and `/generate_stream`."""

from typing import final

from typing_extensions import override

from generated.hf import models as m
from handlers.hf.events import NativeEvents
from handlers.hf.headers import costs
from handlers.hf.request import native_params
from handlers.hf.response import generate_response
from handlers.service.sequences import GeneratedRequest
from handlers.service.timing import Timing
from handlers.tgi_family.generation import Generation
from handlers.tgi_family.headers import Headers
from handlers.tgi_family.params import NativeParams
from handlers.tgi_family.request import NativeRequest


@final
class Native(Generation[m.GenerateRequest, m.GenerateResponse, m.StreamResponse]):
    """Text in, text out."""

    @override
    def params(self, body: m.GenerateRequest) -> NativeParams:
        return native_params(body)

    @override
    def answer(self, native: NativeRequest, generated: GeneratedRequest) -> m.GenerateResponse:
        return generate_response(native, generated)

    @override
    def events(self, native: NativeRequest) -> NativeEvents:
        return NativeEvents(native)

    @override
    def costs(self, timing: Timing) -> Headers:
        return costs(timing)
