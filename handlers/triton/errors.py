"""What a client is told when a request fails: one table from exceptions to statuses and messages."""

from typing import Final, NamedTuple

from engine.errors import EngineError, EngineStopped, InvalidRequest, RequestAborted
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded, retry_after_s
from handlers.faults.refused import Refused
from handlers.faults.violation import Violation
from handlers.runtime.problem import Problem
from handlers.service.exchange import IncompleteGeneration
from handlers.service.model_names import ModelNotFound


class VersionNotFound(Refused):
    """The model has no version of that number."""

    def __init__(self, model: str, version: str) -> None:
        super().__init__(
            f"Request for unknown model: '{model[:200]}' version {version[:200]} is not found",
            "model_version",
            Violation.UNSUPPORTED_VALUE,
        )


class NotAVersion(Refused):
    """Versions are numbers, and no path has anything else in their place."""

    def __init__(self) -> None:
        super().__init__("Not Found", "model_version")


class NotReady(Refused):
    """Told by probes alone."""


class ErrorKind(NamedTuple):
    """How one kind of exception is told. message: what is said instead of the exception's own text."""

    status: int
    message: str | None = None
    retry_after_s: float | None = None


# The first class that an exception is an instance of counts. To Triton a name that is no model's is an
# invalid argument, and a version that is not there something not found.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    NotAVersion: ErrorKind(404),
    VersionNotFound: ErrorKind(404),
    Refused: ErrorKind(400),
    InvalidRequest: ErrorKind(400),
    Overloaded: ErrorKind(503, "Exceeds maximum queue size"),
    EngineStopped: ErrorKind(503, "The server is shutting down", RETRY_AFTER_S),
    RequestAborted: ErrorKind(503, "The request was aborted", RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}


def told(error: Exception) -> Exception:
    """The contract's Problem for an exception; what nobody raised on purpose stays what it is."""
    for cause, kind in _KINDS.items():
        if isinstance(error, cause):
            return Problem(
                kind.status,
                kind.message or _text(error),
                field=error.field if isinstance(error, Refused) else "",
                violation=error.violation if isinstance(error, Refused) else None,
                retry_after_s=retry_after_s(error, kind.retry_after_s),
            )
    return error


def _text(error: Exception) -> str:
    if isinstance(error, ModelNotFound):
        return f"Request for unknown model: '{error.name[:200]}' is not found"
    return str(error)
