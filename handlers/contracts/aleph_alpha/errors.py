"""The table from errors to statuses, codes and messages."""

from typing import Final

from engine.port.errors import EngineError, EngineStopped, InvalidRequest, RequestAborted, UnknownAdapter
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from handlers.served_model.model_names import ModelNotFound
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.problem import Problem

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


_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    ModelNotFound: ErrorKind(404, UNKNOWN_MODEL),
    NotChatCapable: ErrorKind(400, MISSING_CAPABILITY),
    Refused: ErrorKind(400),
    UnknownAdapter: ErrorKind(404, UNKNOWN_MODEL, field="model"),
    InvalidRequest: ErrorKind(400),
    # 503 would be a full queue; this is the bound on what clients may ask for at the same time.
    Overloaded: ErrorKind(429, message="The server is at its limit of concurrent requests"),
    EngineStopped: ErrorKind(503, message="The server is shutting down", retry_after_s=RETRY_AFTER_S),
    RequestAborted: ErrorKind(503, message="The request was aborted", retry_after_s=RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}


def code_of(problem: Problem) -> str:
    """Return the contract's own code for a problem, or else that of its status."""
    own = (UNKNOWN_MODEL, MISSING_CAPABILITY)
    return problem.kind if problem.kind in own else _CODES[problem.status]


def _text(error: Exception) -> str:
    match error:
        case UnknownAdapter():
            return f"The model {error.name[:200]!r} does not exist"
        case Refused() if error.field and not isinstance(error, ModelNotFound | NotChatCapable):
            return f"{error.field}: {error}"
        case _:
            return str(error)


ENGINE_FIELDS: Final = {"priority": "nice", "bad_words": "completion_bias_exclusion"}

to_problem: Final = ErrorTable(_KINDS, _text, ENGINE_FIELDS).to_problem
