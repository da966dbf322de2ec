"""A collector of traces, which takes OTLP over HTTP in the loop of the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeAlias

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.clocks.until import until

Value: TypeAlias = str | int | float | bool | list[str]


class Tree(NamedTuple):
    """The spans of one request. children: by name, in the order of their start."""

    root: Span
    children: dict[str, Span]

    @property
    def attributes(self) -> dict[str, Value]:
        return attributes_of(self.root.attributes)


class Collector:
    """spans: all that have come. bodies: the requests as they came. resource: the attributes of the last."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.bodies: list[bytes] = []
        self.resource: dict[str, Value] = {}
        self.url = ""

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.bodies.append(body)
        for found in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resource = attributes_of(found.resource.attributes)
            self.spans += [span for scope in found.scope_spans for span in scope.spans]
        return web.Response(body=ExportTraceServiceResponse().SerializeToString())

    async def tree(self) -> Tree:
        """Return the only trace, when it has come."""
        # It ends last, so that the others have come with it.
        await until(lambda: any(span.kind == Span.SPAN_KIND_SERVER for span in self.spans))
        (root,) = [span for span in self.spans if span.kind == Span.SPAN_KIND_SERVER]
        children = sorted((span for span in self.spans if span is not root), key=_start)
        for child in children:
            assert (child.trace_id, child.parent_span_id) == (root.trace_id, root.span_id)
            assert child.kind == Span.SPAN_KIND_INTERNAL
            assert root.start_time_unix_nano <= child.start_time_unix_nano
            assert child.start_time_unix_nano <= child.end_time_unix_nano <= root.end_time_unix_nano
        return Tree(root, {child.name: child for child in children})


@asynccontextmanager
async def running_collector() -> AsyncIterator[Collector]:
    """Yield a collector that listens."""
    collector = Collector()
    app = web.Application()
    app.router.add_post("/v1/traces", collector.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    collector.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield collector
    finally:
        await runner.cleanup()


def attributes_of(found: "list[KeyValue]") -> dict[str, Value]:
    """Return attributes by key."""
    return {each.key: _value(each.value) for each in found}


def _value(value: AnyValue) -> Value:
    kind = value.WhichOneof("value")
    assert kind is not None
    if kind == "array_value":
        return [each.string_value for each in value.array_value.values]
    found: Value = getattr(value, kind)
    return found


def _start(span: Span) -> tuple[int, int]:
    return span.start_time_unix_nano, span.end_time_unix_nano
