"""Middleware that tracks each request from its arrival to the last byte of its answer."""

from collections.abc import Awaitable
from datetime import UTC, datetime
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.access.audit_log import AuditEntry, AuditLog
from handlers.access.visit import Visit, current_visit
from handlers.runtime.call import RequestCall
from handlers.runtime.endpoint import Endpoint


class Visits:
    """ASGI middleware that sets `current_visit` for each request and writes its entry to the audit log.

    audit_log: None for no audit log.
    """

    def __init__(self, app: ASGIApp, audit_log: AuditLog | None) -> None:
        self._app = app
        self._audit_log = audit_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = Visit()
        token = current_visit.set(visit)
        try:
            if self._audit_log is None:
                await self._app(scope, receive, send)
            else:
                await self._audited(self._audit_log, visit, scope, receive, send)
        finally:
            current_visit.reset(token)

    async def _audited(
        self, audit_log: AuditLog, visit: Visit, scope: Scope, receive: Receive, send: Send
    ) -> None:
        arrived, started_s = datetime.now(UTC), perf_counter()
        status: int | None = None

        def send_and_record(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            return send(message)  # not awaited, to avoid another coroutine for each event

        try:
            await self._app(scope, receive, send_and_record)
        finally:
            found = scope.get("endpoint")
            endpoint = found if isinstance(found, Endpoint) else None
            client = scope.get("client")
            entry = AuditEntry(
                time=arrived,
                key=None if visit.key is None else visit.key.name,
                client=None if client is None else client[0],
                contract=None if endpoint is None else endpoint.contract.name,
                operation=None if endpoint is None else endpoint.operation.id,
                status=status,
                request_id=RequestCall(scope, None).request_id,
                prompt_tokens=visit.num_prompt_tokens,
                generated_tokens=visit.num_generated_tokens,
                duration_s=round(perf_counter() - started_s, 6),
                error_status=None if visit.error_status == status else visit.error_status,
            )
            audit_log.write(entry)
