"""The native operations: text in, text out, whole or token by token."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from generated.operation import Call, EncodedEvent
from generated.tgi import models as m
from handlers.sequences import collect
from handlers.tgi.events import NativeEvents
from handlers.tgi.headers import Headers, compute_time_header, cost_headers
from handlers.tgi.limits import num_streamed
from handlers.tgi.request import Body, NativeRequest, native_request, parameters_of
from handlers.tgi.response import generate_response
from handlers.tgi.service import Service


class Native:
    """Answers `/`, `/generate` and `/generate_stream`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, body: Body, call: Call[Headers]) -> m.GenerateResponse:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits("best_of", self._service.limits.num_sequences(parameters_of(body))),
        ):
            native = await self._read(body, is_stream=False)
            generated = await collect(exchange.run(native.request), native.request.num_sequences)
            response = generate_response(native, generated)
        call.respond_with(self._service.compute_headers(native.inputs))
        call.respond_with({**cost_headers(exchange.timing), **compute_time_header(exchange.timing)})
        return response

    async def stream(
        self, body: Body, call: Call[Headers]
    ) -> AsyncGenerator[m.StreamResponse | EncodedEvent, None]:
        with (
            self._service.exchange(call.received_s) as exchange,
            exchange.permits("best_of", num_streamed(parameters_of(body))),
        ):
            native = await self._read(body, is_stream=True)
            call.respond_with(self._service.compute_headers(native.inputs))
            events = NativeEvents(native)
            async with aclosing(exchange.run(native.request)) as tokens:
                async for token in tokens:
                    yield events.encode(token)

    async def _read(self, body: Body, *, is_stream: bool) -> NativeRequest:
        service = self._service
        return await service.workers.tokenize(
            len(body.inputs), native_request, body, service.limits, service.tokenizer, is_stream=is_stream
        )
