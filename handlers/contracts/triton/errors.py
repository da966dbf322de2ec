"""The table from errors to statuses and messages."""

from typing import Final

from engine.port.errors import EngineError, EngineStopped, InvalidRequest, RequestAborted, UnknownAdapter
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from handlers.served_model.model_names import ModelNotFound
from verbatim_kit.errors import Refused, Violation


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
    """Raised only by probes."""


# To Triton a name that is no model's is an
# invalid argument, and a version that is not there something not found.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    NotAVersion: ErrorKind(404),
    VersionNotFound: ErrorKind(404),
    Refused: ErrorKind(400),
    UnknownAdapter: ErrorKind(400, field="model_name"),
    InvalidRequest: ErrorKind(400),
    Overloaded: ErrorKind(503, message="Exceeds maximum queue size"),
    EngineStopped: ErrorKind(503, message="The server is shutting down", retry_after_s=RETRY_AFTER_S),
    RequestAborted: ErrorKind(503, message="The request was aborted", retry_after_s=RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}


def _text(error: Exception) -> str:
    if isinstance(error, ModelNotFound | UnknownAdapter):
        remedy = error.remedy if isinstance(error, ModelNotFound) else ""
        return f"Request for unknown model: '{error.name[:200]}' is not found{remedy}"
    return str(error)


ENGINE_FIELDS: Final = {"beams": "beam_width"}

to_problem: Final = ErrorTable(_KINDS, _text, ENGINE_FIELDS).to_problem
