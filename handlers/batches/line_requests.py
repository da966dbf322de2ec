"""Requests of lines, each as if it came over HTTP: checked, answered and refused by the operation itself."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import quote

import httpx
from starlette.types import Receive, Scope, Send

from handlers.access.keys.key_check import KeyCheck
from handlers.access.visits.visit import Visit, current_visit
from handlers.batches.kind import Reply
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.problem import Unauthorized

_FULL: Final = (429, 503, 529)  # the statuses of contracts for a server without room
_RETRY_S: Final = 2.0  # before a line is asked again that found the server full, or failing
_MAX_FAILURES: Final = 3  # of the server's, after which its answer is that of the line
_OWNER: Final = "x-owner"  # of the request within this process, whose name is quoted


async def answered(ask: Callable[[], Awaitable[Reply]], is_fit: Callable[[], Awaitable[bool]]) -> Reply:
    """Return the answer to a line, which is asked again while the server is full, and some times if it fails.

    is_fit: returns whether the engine can answer; if it cannot, nothing that fails is an answer.
    """
    num_failures = 0
    while True:
        reply = await ask()
        if reply.status not in _FULL:
            num_failures += reply.status >= 500 and await is_fit()
            if reply.status < 500 or num_failures == _MAX_FAILURES:
                return reply
        await asyncio.sleep(_RETRY_S)


class LineRequests:
    """Asks operations in the name of the key that a batch belongs to."""

    def __init__(self, endpoints: Mapping[tuple[str, str], Endpoint], key_check: KeyCheck | None) -> None:
        """Ask the endpoints, which check no keys themselves, by their contracts and the operations' ids."""
        self._endpoints = endpoints
        self._key_check = key_check
        transport = httpx.ASGITransport(self._answer)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://batch", timeout=None)

    async def ask(self, contract: str, operation: str, body: bytes, owner: str) -> Reply:
        """Return the answer of an operation. owner: the name of the key that asks; empty without one."""
        headers = {"content-type": "application/json", _OWNER: quote(owner)}
        response = await self._client.post(f"/{contract}/{operation}", content=body, headers=headers)
        return Reply(response.status_code, response.headers.get("x-request-id", ""), response.content)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, contract, operation = scope["path"].split("/")
        endpoint = self._endpoints[contract, operation]
        owner = next(value.decode() for name, value in scope["headers"] if name == _OWNER.encode())
        scope["path"] = f"/{contract}{endpoint.operation.path}"
        visit = Visit("POST", scope["path"], "http", None, endpoint=endpoint, is_batch=True)
        token = current_visit.set(visit)
        try:
            if self._key_check is not None and owner:
                visit.key = self._key_check.named(owner, contract)
            await endpoint(scope, receive, send)
        except Unauthorized as problem:
            await endpoint.refuse(problem, scope, send)
        finally:
            current_visit.reset(token)
