"""Middleware that traces each request for an operation: W3C's trace context in, spans out."""

from collections.abc import Awaitable
from time import perf_counter
from typing import Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override

from engine.port.trace_context import trace_headers
from handlers.access.visits.timing import Timing
from handlers.active_requests.active_request import Observer
from handlers.active_requests.failure import failure_of
from handlers.active_requests.request_trace import RequestTrace, current_trace
from handlers.chat.reading.call_times import current_call_times
from handlers.tracing.exporter import TracedRequest, TraceExport
from handlers.tracing.spans import http_attributes
from verbatim_kit.runtime.endpoint import Endpoint

_GIVEN: Final = {b"traceparent": "traceparent", b"tracestate": "tracestate"}
_FLAGS: Final = {is_sampled: TraceFlags(is_sampled) for is_sampled in (False, True)}
_NO_CONTEXT: Final = Context()

_propagator: Final = TraceContextTextMapPropagator()


class Tracing:
    """ASGI middleware that traces the operations of contracts, except for probes and metrics.

    A request continues the trace that its headers name. What the engine sends to other servers for it
    continues the trace in turn.
    """

    def __init__(self, app: ASGIApp, export: TraceExport) -> None:
        self._app = app
        self._export = export
        self._should_sample = export.provider.sampler.should_sample
        self._ids = export.provider.id_generator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, self._closing_first(send))
            return
        context, parent = self._begin(scope)
        passing_on = trace_headers.set(_headers_of(context))
        try:
            if context.trace_flags.sampled:
                await self._recorded(context, parent, scope, receive, send)
            else:
                await self._app(scope, receive, send)
        finally:
            trace_headers.reset(passing_on)

    def _closing_first(self, send: Send) -> Send:
        """Return the sending of a lifespan's messages, before whose last one the export is closed."""

        async def send_closed(message: Message) -> None:
            if message["type"].startswith("lifespan.shutdown"):
                await self._export.close()
            await send(message)

        return send_closed

    def _begin(self, scope: Scope) -> tuple[SpanContext, SpanContext | None]:
        """Return the context of a request's own span, and of its parent, if its headers name a valid one."""
        carrier: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            if name in _GIVEN:
                carrier.setdefault(_GIVEN[name], []).append(value.decode("latin-1"))
        around = _propagator.extract(carrier, _NO_CONTEXT) if carrier else _NO_CONTEXT
        parent = get_current_span(around).get_span_context() if around else None
        trace_id = self._ids.generate_trace_id() if parent is None else parent.trace_id
        sampling = self._should_sample(around, trace_id, "request", SpanKind.SERVER)
        flags = _FLAGS[sampling.decision is Decision.RECORD_AND_SAMPLE]
        return SpanContext(trace_id, self._ids.generate_span_id(), False, flags, sampling.trace_state), parent

    async def _recorded(
        self, context: SpanContext, parent: SpanContext | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        trace = RequestTrace()
        token, calls_token = current_trace.set(trace), current_call_times.set(trace.calls)
        start: Message | None = None

        def send_and_record(message: Message) -> Awaitable[None]:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
            return send(message)  # not awaited, to avoid another coroutine for each event

        try:
            await self._app(scope, receive, send_and_record)
        except Exception:
            trace.failure = trace.failure or "generation"
            raise
        finally:
            current_trace.reset(token)
            current_call_times.reset(calls_token)
            trace.ended_s = perf_counter()
            endpoint = scope.get("endpoint")
            if isinstance(endpoint, Endpoint) and not endpoint.is_for_monitors:
                trace.status = None if start is None else start["status"]
                trace.attributes |= http_attributes(endpoint, scope, start)
                self._export.put(TracedRequest(context, parent, endpoint, trace))


class TracedFailures(Observer):
    """An observer that notes which requests generate, and how they fail, in their traces."""

    @override
    def received(self) -> None:
        if (trace := current_trace.get()) is not None:
            trace.is_generating = True

    @override
    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        """Do nothing: the trace has these numbers from elsewhere."""

    @override
    def failed(self, error: BaseException, total_s: float) -> None:
        if (trace := current_trace.get()) is not None:
            trace.failure = failure_of(error)

    @override
    def succeeded(self, timing: Timing) -> None:
        """Do nothing: the trace has the timing already."""


def _headers_of(context: SpanContext) -> dict[str, str]:
    """Return the headers by which others continue the trace (W3C Trace Context, sections 3.2 and 3.3)."""
    traceparent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
    if not context.trace_state:
        return {"traceparent": traceparent}
    return {"traceparent": traceparent, "tracestate": context.trace_state.to_header()}
