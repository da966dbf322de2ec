"""What a client is told when a request fails."""

from typing import Final, NamedTuple

from engine.errors import EngineError, EngineStopped, InvalidRequest, RequestAborted
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded, retry_after_s
from handlers.faults.refused import Refused
from handlers.runtime.problem import Problem
from handlers.service.exchange import IncompleteGeneration
from handlers.service.model_names import ModelNotFound

UNKNOWN_MODEL: Final = "UNKNOWN_MODEL"
MISSING_CAPABILITY: Final = "MISSING_CAPABILITY"

# Of problems that have no code of their own.
_CODES: Final = {
    400: "INVALID_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "TOO_MANY_REQUESTS",
    500: "INTERNAL_SERVER_ERROR",
    503: "SERVICE_UNAVAILABLE",
}


class NotChatCapable(Refused):
    """The model has no chat template."""

    def __init__(self) -> None:
        super().__init__("The model cannot chat: it has no chat template.", "model")


class ErrorKind(NamedTuple):
    """How one kind of exception is told. message: what is said instead of the exception's own text."""

    status: int
    message: str | None = None
    retry_after_s: float | None = None


# The first class that an exception is an instance of counts.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    InvalidRequest: ErrorKind(400),
    # 503 would be a full queue; this is the bound on what clients may ask for at the same time.
    Overloaded: ErrorKind(429, "The server is at its limit of concurrent requests"),
    EngineStopped: ErrorKind(503, "The server is shutting down", RETRY_AFTER_S),
    RequestAborted: ErrorKind(503, "The request was aborted", RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}


def code_of(problem: Problem) -> str:
    """The contract's, or the one of the problem's status."""
    own = (UNKNOWN_MODEL, MISSING_CAPABILITY)
    return problem.kind if problem.kind in own else _CODES[problem.status]


def told(error: Exception) -> Exception:
    """The contract's Problem for an exception; what nobody raised on purpose stays what it is."""
    match error:
        case ModelNotFound():
            message = f"The model {error.name[:200]!r} does not exist"
            return Problem(404, message, UNKNOWN_MODEL, field=error.field, violation=error.violation)
        case NotChatCapable():
            return Problem(400, str(error), MISSING_CAPABILITY, field=error.field, violation=error.violation)
        case Refused():
            message = f"{error.field}: {error}" if error.field else str(error)
            return Problem(400, message, field=error.field, violation=error.violation)
    for cause, kind in _KINDS.items():
        if isinstance(error, cause):
            return Problem(
                kind.status,
                kind.message or str(error),
                retry_after_s=retry_after_s(error, kind.retry_after_s),
            )
    return error
