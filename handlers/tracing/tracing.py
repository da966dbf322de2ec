"""The traces of requests: spans that OpenTelemetry's SDK exports by OTLP over HTTP."""

import asyncio
import logging
import os
import threading
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from handlers.access.visits.batch_thread import BatchThread
from handlers.access.visits.visit import Visit
from handlers.tracing.settings import TracingSettings
from handlers.tracing.spans import attributes_of, has_failed, name_of, phases_of
from handlers.version import VERSION

_NAME: Final = "verbatim"
_PATH: Final = "/v1/traces"
_CLOSE_S: Final = 5.0
_MAX_WAITING: Final = 2048  # requests, as many as the SDK's own queue has spans
_PAUSE_S: Final = 0.5  # a thread that is awake delays the event loop at each of its system calls

_log = logging.getLogger(__name__)
_propagator: Final = TraceContextTextMapPropagator()


class Tracing:
    """Makes the spans of each request in a thread when it has ended, and has the SDK's thread send them.

    A request continues the trace that its headers name, and what the engine sends to other servers for it
    continues the trace in turn. The standard variables set up the sampler and the SDK's queue.
    """

    def __init__(self, settings: TracingSettings, model: str) -> None:
        """model: the served model's name."""
        self._model = model
        self._exporter = OTLPSpanExporter(_url(settings.otlp_endpoint))
        self._provider = TracerProvider(resource=_resource(settings), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer(_NAME, VERSION)
        self._thread = BatchThread("spans", self._make_all, _MAX_WAITING, _PAUSE_S)
        self._has_warned = False

    def headers(self, visit: Visit) -> dict[str, str]:
        """Return the headers by which another server continues the trace of a request that runs."""
        carrier: dict[str, str] = {}
        _propagator.inject(carrier, set_span_in_context(self._span(visit), Context()))
        return carrier

    def put(self, visit: Visit) -> None:
        """Queue an ended request without blocking, unless it is a monitor's or for no operation."""
        if visit.endpoint is None or visit.is_quiet or self._thread.put(visit) or self._has_warned:
            return
        self._has_warned = True
        _log.warning("requests are left out of the traces, since %d wait already", _MAX_WAITING)

    @asynccontextmanager
    async def kept_up(self) -> AsyncGenerator[None, None]:
        """Export requests while the block runs, and what is queued at its end for some seconds."""
        self._thread.start()
        try:
            yield
        finally:
            closing = threading.Thread(target=self._close, name="traces", daemon=True)
            closing.start()
            await asyncio.to_thread(closing.join, _CLOSE_S)
            if closing.is_alive():
                _log.warning("the last traces could not be sent in %g s", _CLOSE_S)
                self._exporter.shutdown()  # type: ignore[no-untyped-call]  # ends its waits between attempts

    def _close(self) -> None:
        self._thread.close(_CLOSE_S)
        self._provider.shutdown()

    def _make_all(self, visits: list[Visit]) -> None:
        for visit in visits:
            self._make(visit)

    def _make(self, visit: Visit) -> None:
        span = self._span(visit)
        if not span.is_recording():  # the sampler leaves it out, and so its phases
            return
        span.update_name(name_of(visit))
        span.set_attributes(attributes_of(visit, self._model))
        if has_failed(visit):
            span.set_status(StatusCode.ERROR)
        below = set_span_in_context(span, Context())
        for phase in phases_of(visit):
            start_ns = _ns(visit, phase.begun_s)
            child = self._tracer.start_span(
                phase.name, below, attributes=phase.attributes, start_time=start_ns
            )
            child.end(_ns(visit, phase.ended_s))
        span.end(_ns(visit, visit.ended_s))

    def _span(self, visit: Visit) -> Span:
        """Return the request's own span, which is begun here if it was not yet."""
        if not isinstance(visit.span, Span):
            carrier: defaultdict[str, list[str]] = defaultdict(list)
            for name, value in visit.trace_context:
                carrier[name.decode()].append(value.decode("latin-1"))
            caller = _propagator.extract(carrier, Context())
            visit.span = self._tracer.start_span(
                visit.method, caller, SpanKind.SERVER, start_time=visit.arrived_ns
            )
        return visit.span


def _ns(visit: Visit, time_s: float) -> int:
    """Return a time of `perf_counter` in nanoseconds since 1970."""
    return visit.arrived_ns + int((time_s - visit.started_s) * 1e9)


def _resource(settings: TracingSettings) -> Resource:
    """Return the attributes of this process; an option wins over the standard variables."""
    own: dict[str, str | int] = {"service.version": VERSION, "process.pid": os.getpid()}
    if settings.otlp_service_name is not None:
        return Resource.create({**own, SERVICE_NAME: settings.otlp_service_name})
    resource = Resource.create(own)
    if not str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        return resource
    return resource.merge(Resource({SERVICE_NAME: _NAME}))


def _url(endpoint: str | None) -> str | None:
    """Return the address of traces; None leaves it to the standard variables."""
    if endpoint is None:
        return None
    return endpoint.rstrip("/").removesuffix(_PATH) + _PATH
