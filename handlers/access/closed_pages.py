"""Protection by API keys for paths whose OpenAPI documents do not require one."""

from collections.abc import Collection
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.access.keys.key_check import KeyCheck
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.reading.bearer import BEARER_HEADER, given_keys
from verbatim_kit.runtime.server import ContractServer, path_of

_HEADERS: Final = (BEARER_HEADER, "x-api-key", "api-key")


class ClosedPages:
    """ASGI middleware that requires a key for all other paths: metrics, information, lists and pages.

    Operations that the documents secure check the key themselves, with the status that they declare. Health
    probes stay open, since monitors rarely have a key.
    """

    def __init__(
        self, app: ASGIApp, server: ContractServer, key_check: KeyCheck, open_paths: Collection[str]
    ) -> None:
        """Wrap an application around a server.

        open_paths: paths outside the contracts that stay open: probes, and paths of operations that check the
        key themselves.
        """
        self._app = app
        self._server = server
        self._key_check = key_check
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await self._server.refusal(problem, scope)(scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        endpoint = self._server.endpoint(scope)
        if endpoint is not None:
            operation, contract = endpoint.operation, endpoint.contract
            if operation.is_secured or operation.id in contract.probes:
                return None
        elif path_of(scope) in self._open_paths:
            return None
        try:
            self._key_check.identify(
                None if endpoint is None else endpoint.contract.name, given_keys(scope, _HEADERS)
            )
        except Problem as problem:
            return problem
        return None
