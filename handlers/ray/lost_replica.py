"""Each contract's errors for requests whose replica is lost."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from fastapi import FastAPI
from starlette.types import Scope, Send

from handlers.composition import TABLES, mount_all
from handlers.concurrency.limit import RETRY_AFTER_S
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.endpoint import Endpoint, Handler
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.problem import InternalError, Problem
from verbatim_kit.runtime.server import ContractServer

_UNAVAILABLE: Final = (503, 529)  # Anthropic's contract has the second


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
        await endpoint.refuse(_problem(endpoint, status), scope, send)

    def last_frames(self, scope: Scope) -> bytes:
        """Return the end of a stream: the contract's error event, and what ends each of its streams."""
        endpoint = self._endpoint(scope)
        return endpoint.last_frames(_problem(endpoint, None), RequestCall(scope, endpoint.operation))

    def _endpoint(self, scope: Scope) -> Endpoint:
        endpoint = self._server.endpoint(scope)
        assert endpoint is not None, "only requests for an operation are answered here"
        return endpoint


def unavailable(endpoint: Endpoint, message: str, status: int | None = None) -> Problem | None:
    """Return the error of a server that cannot answer now; None where the document declares none.

    status: the one to use if it is declared.
    """
    for each in (status, *_UNAVAILABLE):
        if each is not None and endpoint.declares(each):
            return Problem(each, message, "unavailable", retry_after_s=RETRY_AFTER_S)
    return None


def _problem(endpoint: Endpoint, status: int | None) -> Problem:
    return unavailable(endpoint, "The replica that ran the request is gone", status) or InternalError()


class NoHandlers(Handlers):
    """The operations of a contract that other processes answer.

    own: the handlers of those that this process answers nevertheless, by the operations' ids.
    """

    def __init__(self, table: tuple[Operation, ...], own: Mapping[str, Handler] = {}) -> None:
        self.table = table  # type: ignore[misc]  # of each contract, rather than of the class
        for operation in table:
            setattr(self, operation.handler, own.get(operation.id, _answered_elsewhere))


async def _answered_elsewhere(**arguments: Any) -> None:
    raise AssertionError("other processes answer requests")
