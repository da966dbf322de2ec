"""What a client is told when a request fails: one table from exceptions to statuses, types and messages."""

from typing import Final, NamedTuple

from engine.errors import EngineStopped, GenerationFailed, InvalidRequest, RequestAborted
from handlers.chat.errors import ChatError
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded, retry_after_s
from handlers.faults.refused import Refused
from handlers.runtime.problem import Problem
from handlers.service.exchange import IncompleteGeneration

INVALID: Final = "Input validation error: "  # before each message of its type
INVALID_TYPE: Final = "Input Validation Error"


class ErrorKind(NamedTuple):
    """How one kind of exception is told.

    message: what is said instead of the exception's own text. prefix: what comes before it.
    retry_after_s: when the client may try again.
    """

    status: int
    error_type: str
    prefix: str = ""
    message: str | None = None
    retry_after_s: float | None = None


_FAILED: Final = ErrorKind(424, "Generation Error", "Request failed during generation: ")
# The first class that an exception is an instance of counts. Statuses and types are MindIE's own.
ERROR_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    Refused: ErrorKind(422, INVALID_TYPE, INVALID),
    InvalidRequest: ErrorKind(422, INVALID_TYPE, INVALID),
    GenerationFailed: _FAILED,
    RequestAborted: _FAILED,
    IncompleteGeneration: ErrorKind(500, "Incomplete Generation", message="Incomplete generation"),
    Overloaded: ErrorKind(503, "Service Unavailable", message="The server is overloaded"),
    EngineStopped: ErrorKind(
        503, "Service Unavailable", message="The server is shutting down", retry_after_s=RETRY_AFTER_S
    ),
}


def told(error: Exception) -> Exception:
    """The contract's Problem for an exception; what nobody raised on purpose stays what it is."""
    for cause, kind in ERROR_KINDS.items():
        if isinstance(error, cause):
            message = kind.prefix + (kind.message or _text(error))
            return Problem(
                kind.status, message, kind.error_type, retry_after_s=retry_after_s(error, kind.retry_after_s)
            )
    return error


def _text(error: Exception) -> str:
    """The chat core's messages leave the field to be named."""
    return f"{error.field}: {error}" if isinstance(error, ChatError) and error.field else str(error)
