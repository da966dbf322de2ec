"""Each contract's errors for requests whose replica is lost."""

from collections.abc import Collection
from typing import Final

from fastapi import FastAPI
from starlette.types import Scope, Send

from handlers.composition import TABLES, mount_all
from handlers.operations.elsewhere import NoHandlers, last_frames, unavailable
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.problem import InternalError
from verbatim_kit.runtime.server import ContractServer

_LOST: Final = "The replica that ran the request is gone"


class LostReplica:
    """The ends of answers that a lost replica leaves open, found by the requests' paths."""

    def __init__(self, root: Collection[str]) -> None:
        """Mount all contracts without handlers. Raises UnknownContract for a name in `root` that is not one.

        root: the contracts that stand at the application's root.
        """
        self._server = ContractServer(FastAPI(openapi_url=None))
        mount_all(self._server, tuple(root), {name: NoHandlers(table) for name, table in TABLES.items()})

    def has_operation(self, scope: Scope) -> bool:
        """Return whether a contract has an operation for the request."""
        return self._server.endpoint(scope) is not None

    async def refuse(self, scope: Scope, send: Send, status: int | None) -> None:
        """Answer a request for an operation with its contract's error.

        status: the one to use if the document declares it; by default that of an unavailable server.
        """
        endpoint = self._endpoint(scope)
        problem = unavailable(endpoint, _LOST, status) or InternalError()
        await endpoint.refuse(problem, scope, send)

    def last_frames(self, scope: Scope) -> bytes:
        """Return the end of a stream: the contract's error event, and what ends each of its streams."""
        return last_frames(self._endpoint(scope), scope, _LOST)

    def _endpoint(self, scope: Scope) -> Endpoint:
        endpoint = self._server.endpoint(scope)
        assert endpoint is not None, "only requests for an operation are answered here"
        return endpoint
