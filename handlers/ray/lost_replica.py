"""Each contract's errors for requests whose replica is lost."""

from collections.abc import Collection
from typing import Any, Final

from fastapi import FastAPI
from starlette.types import Scope, Send

from handlers.composition import CONTRACTS
from handlers.concurrency.limit import RETRY_AFTER_S
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.problem import InternalError, Problem
from verbatim_kit.runtime.root_routes import check_root
from verbatim_kit.runtime.server import ContractServer

_UNAVAILABLE: Final = (503, 529)  # Anthropic's contract has the second


class LostReplica:
    """The ends of answers that a lost replica leaves open, found by the requests' paths."""

    def __init__(self, root: Collection[str]) -> None:
        """Mount all contracts without handlers. Raises UnknownContract for a name in `root` that is not one.

        root: the contracts that stand at the application's root.
        """
        check_root(tuple(root), list(CONTRACTS))
        self._server = ContractServer(FastAPI(openapi_url=None))
        for name in root:
            self._server.mount(CONTRACTS[name].contract, _NoHandlers(CONTRACTS[name].table))
        for name, served in CONTRACTS.items():
            self._server.mount(served.contract, _NoHandlers(served.table), prefix=f"/{name}")

    def has_operation(self, scope: Scope) -> bool:
        """Return whether a contract has an operation for the request."""
        return self._server.endpoint(scope) is not None

    async def refuse(self, scope: Scope, send: Send, status: int | None) -> None:
        """Answer a request for an operation with its contract's error.

        status: the one to use if the document declares it; by default that of an unavailable server.
        """
        endpoint = self._endpoint(scope)
        await endpoint.refuse(_problem(endpoint, status), scope, send)

    def last_frames(self, scope: Scope) -> bytes:
        """Return the end of a stream: the contract's error event, and what ends each of its streams."""
        endpoint = self._endpoint(scope)
        return endpoint.last_frames(_problem(endpoint, None), RequestCall(scope, endpoint.operation))

    def _endpoint(self, scope: Scope) -> Endpoint:
        endpoint = self._server.endpoint(scope)
        assert endpoint is not None, "only requests for an operation are answered here"
        return endpoint


def _problem(endpoint: Endpoint, status: int | None) -> Problem:
    for each in (status, *_UNAVAILABLE):
        if each is not None and endpoint.declares(each):
            return Problem(
                each, "The replica that ran the request is gone", "unavailable", retry_after_s=RETRY_AFTER_S
            )
    return InternalError()


class _NoHandlers(Handlers):
    """The operations of a contract without what answers them."""

    def __init__(self, table: tuple[Operation, ...]) -> None:
        self.table = table  # type: ignore[misc]  # of each contract, rather than of the class
        for operation in table:
            setattr(self, operation.handler, _answered_by_replicas)


async def _answered_by_replicas(**arguments: Any) -> None:
    raise AssertionError("replicas answer requests")
