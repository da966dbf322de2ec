"""The export of requests' spans by OTLP over HTTP, in a thread of OpenTelemetry's SDK."""

import asyncio
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode
from typing_extensions import override

from handlers.active_requests.request_trace import RequestTrace
from handlers.tracing.settings import TracingSettings
from handlers.tracing.spans import error_type, generated_attributes, operation_name, phases_of
from handlers.version import VERSION
from verbatim_kit.runtime.endpoint import Endpoint

_NAME: Final = "verbatim"
_PATH: Final = "/v1/traces"
_CLOSE_S: Final = 5.0
_SCOPE: Final = InstrumentationScope(_NAME, VERSION)
_NO_RESOURCE: Final = Resource({})  # without any, the SDK would look for that of the process each time

_log = logging.getLogger(__name__)


class TracedRequest(ReadableSpan):
    """A sampled request that has ended, in the form that the SDK's queue takes."""

    def __init__(
        self, context: SpanContext, parent: SpanContext | None, endpoint: Endpoint, trace: RequestTrace
    ) -> None:
        super().__init__("request", context, parent, _NO_RESOURCE)
        self.endpoint = endpoint
        self.trace = trace


class TraceExport:
    """The SDK's bounded queue and its thread, set up by the standard variables.

    provider: has the sampler and the source of ids.
    """

    def __init__(self, settings: TracingSettings, model: str, close_s: float = _CLOSE_S) -> None:
        """Start the thread.

        model: the served model's name. close_s: the most seconds that the last export may take.
        """
        self._close_s = close_s
        self.provider = TracerProvider(resource=_resource(settings), shutdown_on_exit=False)
        self._exporter = OTLPSpanExporter(_url(settings.otlp_endpoint))
        self._processor = BatchSpanProcessor(_RequestExporter(self._exporter, self.provider, model))

    def put(self, request: TracedRequest) -> None:
        """Queue a request without blocking; it is dropped, with a warning, where the queue is full."""
        self._processor.on_end(request)

    async def close(self) -> None:
        """Send what is queued, for at most `close_s`."""
        closing = threading.Thread(target=self._processor.shutdown, name="traces", daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, self._close_s)
        if closing.is_alive():
            _log.warning("the last traces could not be sent in %g s", self._close_s)
            self._exporter.shutdown()  # type: ignore[no-untyped-call]  # ends its waits between attempts


class _RequestExporter(SpanExporter):
    """Makes the spans of each request, and has them exported."""

    def __init__(self, exporter: SpanExporter, provider: TracerProvider, model: str) -> None:
        self._exporter = exporter
        self._model = model
        # A tracer's spans take several times as long, and get their ids when it is too late for headers.
        self._span = partial(ReadableSpan, resource=provider.resource, instrumentation_scope=_SCOPE)
        self._new_span_id = provider.id_generator.generate_span_id

    @override
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        requests = (request for request in spans if isinstance(request, TracedRequest))
        return self._exporter.export([span for request in requests for span in self._spans(request)])

    @override
    def shutdown(self) -> None:
        self._exporter.shutdown()

    def _spans(self, request: TracedRequest) -> Iterator[ReadableSpan]:
        own, trace = request.get_span_context(), request.trace
        assert own is not None
        found = trace.attributes | generated_attributes(trace, self._model)
        if trace.is_generating:
            found["gen_ai.operation.name"] = operation_name(request.endpoint)
            found["gen_ai.provider.name"] = _NAME
        status = trace.status
        if (kind := error_type(trace)) is not None:
            found["error.type"] = kind
        is_refusal = status is not None and 400 <= status < 500
        code = StatusCode.UNSET if kind is None or is_refusal else StatusCode.ERROR
        name = f"{found['http.request.method']} {found['http.route']}"
        yield self._span(
            name,
            own,
            request.parent,
            attributes=found,
            kind=SpanKind.SERVER,
            status=Status(code),
            start_time=trace.arrived_ns,
            end_time=trace.ns_of(trace.ended_s),
        )
        for phase in phases_of(trace):
            yield self._span(
                phase.name,
                SpanContext(own.trace_id, self._new_span_id(), False, own.trace_flags, own.trace_state),
                own,
                attributes=phase.attributes,
                start_time=trace.ns_of(phase.begun_s),
                end_time=trace.ns_of(phase.ended_s),
            )


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
