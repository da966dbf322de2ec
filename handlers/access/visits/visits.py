"""Middleware that tracks each request from its arrival to the last byte of its answer."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from time import perf_counter
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.access.visits.request_record import End, RecordLine, RequestRecord
from handlers.access.visits.timing import Timing
from handlers.access.visits.visit import Visit, current_visit
from verbatim_kit.runtime.call import ERROR, RequestCall
from verbatim_kit.runtime.endpoint import Endpoint

_MAX_PATH: Final = 500  # characters of a path in a record
_MAX_TEXT: Final = 100_000  # bytes of a body in a record

TakesLine: TypeAlias = Callable[[RecordLine], object]


class Visits:
    """ASGI middleware that sets `current_visit` for each request, and makes its record when it ends.

    takers: get the line of each record. quiet_paths: paths outside the contracts that monitors ask; their
    lines, and those of the contracts' probes and metrics, are of the level DEBUG. keeps_texts: whether
    records have the bodies of requests and answers.
    """

    def __init__(
        self, app: ASGIApp, takers: Sequence[TakesLine], quiet_paths: Collection[str], *, keeps_texts: bool
    ) -> None:
        self._app = app
        self._takers = takers
        self._quiet_paths = quiet_paths
        self._keeps_texts = keeps_texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = Visit(scope["path"])
        token = current_visit.set(visit)
        texts = (_Text(), _Text()) if self._keeps_texts else None

        def send_and_record(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
            else:
                visit.is_answered = not message.get("more_body", False)
            if texts is not None:
                texts[1].add(message)
            return send(message)  # not awaited, to avoid another coroutine for each event

        try:
            await self._app(scope, receive if texts is None else texts[0].copied(receive), send_and_record)
        except Exception as error:
            scope[ERROR] = type(error).__name__
            raise
        finally:
            current_visit.reset(token)
            level = "DEBUG" if self._is_quiet(scope, visit.path) else "INFO"
            record = _record(visit, scope, texts)
            line = RecordLine(timestamp=visit.arrived, level=level, fields=record)
            for take in self._takers:
                take(line)

    def _is_quiet(self, scope: Scope, path: str) -> bool:
        endpoint = scope.get("endpoint")
        if isinstance(endpoint, Endpoint):
            return endpoint.is_for_monitors
        return path.removeprefix(scope.get("root_path", "")) in self._quiet_paths


def _record(visit: Visit, scope: Scope, texts: "tuple[_Text, _Text] | None") -> RequestRecord:
    found, client = scope.get("endpoint"), scope.get("client")
    endpoint = found if isinstance(found, Endpoint) else None
    timing = visit.timing or Timing(0.0)
    has_run = timing.num_prompt_tokens > 0
    method, path, status = scope["method"], visit.path[:_MAX_PATH], visit.status
    error: str | None = visit.error or scope.get(ERROR)
    end: End = "error" if error is not None else "complete" if visit.is_answered else "disconnected"
    return RequestRecord(
        message=f"{method} {path} {status or '-'}",
        request_id=RequestCall(scope, None).request_id,
        client=None if client is None else client[0],
        key=None if visit.key is None else visit.key.name,
        contract=None if endpoint is None else endpoint.contract.name,
        operation=None if endpoint is None else endpoint.operation.id,
        method=method,
        path=path,
        status=status,
        end=end,
        prompt_tokens=timing.num_prompt_tokens,
        generated_tokens=timing.num_generated_tokens,
        queue_s=round(timing.queue_s, 6) if has_run else None,
        first_token_s=None if timing.first_token_s is None else round(timing.first_token_s, 6),
        duration_s=round(perf_counter() - visit.started_s, 6),
        error=error,
        error_status=None if visit.error_status == status else visit.error_status,
        request=None if texts is None else texts[0].text(),
        answer=None if texts is None else texts[1].text(),
    )


class _Text:
    """The beginning of a body, as it passes."""

    def __init__(self) -> None:
        self._body = bytearray()
        self._num_bytes = 0

    def add(self, message: Message) -> None:
        part = message.get("body", b"")
        self._num_bytes += len(part)
        self._body += part[: _MAX_TEXT - len(self._body)]

    def copied(self, receive: Receive) -> Receive:
        """Return the function that receives what is added here too."""

        async def receive_and_add() -> Message:
            message = await receive()
            self.add(message)
            return message

        return receive_and_add

    def text(self) -> str:
        num_more = self._num_bytes - len(self._body)
        return self._body.decode(errors="replace") + (f" ({num_more} bytes more)" if num_more else "")
