"""Middleware that tracks each request from its arrival to the last byte of its answer."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Final, Protocol, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.port.trace_context import trace_headers
from handlers.access.visits.visit import Visit, current_visit
from handlers.chat.reading.call_times import CallTimes, current_call_times
from verbatim_kit.openapi.streams import is_stream
from verbatim_kit.runtime.call import ERROR, RequestCall
from verbatim_kit.runtime.endpoint import Endpoint

_MAX_PATH: Final = 500  # characters of a path in a visit
_MAX_TEXT: Final = 100_000  # bytes of a body in a visit
_TRACE_CONTEXT: Final = (b"traceparent", b"tracestate")

TakesVisit: TypeAlias = Callable[[Visit], object]


class TracesVisits(Protocol):
    """The traces of requests."""

    def headers(self, visit: Visit) -> Mapping[str, str]:
        """Return the headers by which another server continues the trace of a request that runs."""

    def put(self, visit: Visit) -> None:
        """Take a request that has ended."""


class Visits:
    """ASGI middleware that sets `current_visit` for each request, and hands it on when it has ended.

    takers: get each visit. log: gets it too, with the bodies of request and answer if `keeps_texts`.
    quiet_paths: paths outside the contracts that monitors ask.
    """

    def __init__(
        self,
        app: ASGIApp,
        takers: Sequence[TakesVisit],
        quiet_paths: Collection[str],
        *,
        log: TakesVisit | None = None,
        keeps_texts: bool = False,
        traces: TracesVisits | None = None,
    ) -> None:
        self._app = app
        self._takers = takers if traces is None else (*takers, traces.put)
        self._quiet_paths = quiet_paths
        self._log = log
        self._keeps_texts = keeps_texts
        self._traces = traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client, scheme = scope.get("client"), scope.get("scheme", "http")
        visit = Visit(scope["method"], scope["path"][:_MAX_PATH], scheme, client and client[0])
        texts = (bytearray(), bytearray()) if self._keeps_texts else None

        def send_and_record(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
                types = [value for name, value in message["headers"] if name == b"content-type"]
                visit.is_stream = bool(types) and is_stream(types[0].decode("latin-1"))
            else:
                visit.is_answered = not message.get("more_body", False)
            if texts is not None:
                _keep(texts[1], message)
            return send(message)  # not awaited, to avoid another coroutine for each event

        current_visit.set(visit)
        if self._traces is not None:
            visit.trace_context = [header for header in scope["headers"] if header[0] in _TRACE_CONTEXT]
            visit.calls = CallTimes()
            trace_headers.set(partial(self._traces.headers, visit))
            current_call_times.set(visit.calls)
        try:
            await self._app(scope, _keeping(receive, texts[0]) if texts else receive, send_and_record)
        except Exception as error:
            scope[ERROR] = type(error).__name__
            raise
        finally:
            if not visit.is_recorded:
                self._end(visit, scope, texts)

    def _end(self, visit: Visit, scope: Scope, texts: tuple[bytearray, bytearray] | None) -> None:
        visit.ended_s = perf_counter()
        visit.request_id = RequestCall(scope, None).request_id
        visit.error = visit.error or scope.get(ERROR)
        endpoint = scope.get("endpoint")
        if isinstance(endpoint, Endpoint):
            visit.endpoint, visit.is_quiet = endpoint, endpoint.is_for_monitors
        else:
            visit.is_quiet = visit.path.removeprefix(scope.get("root_path", "")) in self._quiet_paths
        for take in self._takers:
            take(visit)
        if self._log is not None:
            if texts is not None:
                request, answer = (text.decode(errors="replace") for text in texts)
                visit = replace(visit, texts=(request, answer))
            self._log(visit)


def _keep(text: bytearray, message: Message) -> None:
    """Add what a message has of a body to the kept beginning of that."""
    text += message.get("body", b"")[: _MAX_TEXT - len(text)]


def _keeping(receive: Receive, text: bytearray) -> Receive:
    async def receive_and_keep() -> Message:
        message = await receive()
        _keep(text, message)
        return message

    return receive_and_keep
