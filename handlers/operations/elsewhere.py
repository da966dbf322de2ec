"""Operations that another process answers, and the end of their answers when it is lost."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.types import Scope

from handlers.concurrency.limit import RETRY_AFTER_S
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.endpoint import Endpoint, Handler
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.problem import InternalError, Problem

_UNAVAILABLE: Final = (503, 529)  # Anthropic's contract has the second


class NoHandlers(Handlers):
    """The operations of a contract that other processes answer.

    own: the handlers of those that this process answers nevertheless, by the operations' ids.
    """

    def __init__(self, table: tuple[Operation, ...], own: Mapping[str, Handler] = {}) -> None:
        self.table = table  # type: ignore[misc]  # of each contract, rather than of the class
        for operation in table:
            setattr(self, operation.handler, own.get(operation.id, _answered_elsewhere))


def unavailable(endpoint: Endpoint, message: str, status: int | None = None) -> Problem | None:
    """Return the error of a server that cannot answer now; None where the document declares none.

    status: the one to use if it is declared.
    """
    for each in (status, *_UNAVAILABLE):
        if each is not None and endpoint.declares(each):
            return Problem(each, message, "unavailable", retry_after_s=RETRY_AFTER_S)
    return None


def last_frames(endpoint: Endpoint, scope: Scope, message: str) -> bytes:
    """Return the end of a stream whose rest is lost: the contract's event, and what ends it."""
    problem = unavailable(endpoint, message) or InternalError()
    call = RequestCall(scope, endpoint.operation)
    call.answers_with(problem)
    return endpoint.last_frames(problem, call)


async def _answered_elsewhere(**arguments: Any) -> None:
    raise AssertionError("other processes answer requests")
