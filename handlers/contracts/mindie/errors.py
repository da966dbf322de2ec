"""The table from errors to statuses, types and messages."""

from typing import Final

from engine.port.errors import EngineStopped, GenerationFailed, InvalidRequest, RequestAborted, UnknownAdapter
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.chat.errors import ChatError
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from verbatim_kit.errors import Refused

INVALID: Final = "Input validation error: "  # before each message of its type
INVALID_TYPE: Final = "Input Validation Error"


_FAILED: Final = ErrorKind(424, "Generation Error", "Request failed during generation: ")
# Statuses and types are MindIE's own.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    Refused: ErrorKind(422, INVALID_TYPE, INVALID),
    UnknownAdapter: ErrorKind(422, INVALID_TYPE, f"{INVALID}model: ", field="model"),
    InvalidRequest: ErrorKind(422, INVALID_TYPE, INVALID),
    GenerationFailed: _FAILED,
    RequestAborted: _FAILED,
    IncompleteGeneration: ErrorKind(500, "Incomplete Generation", message="Incomplete generation"),
    Overloaded: ErrorKind(503, "Service Unavailable", message="The server is overloaded"),
    EngineStopped: ErrorKind(
        503, "Service Unavailable", message="The server is shutting down", retry_after_s=RETRY_AFTER_S
    ),
}


def _text(error: Exception) -> str:
    """The chat core's messages leave the field to be named."""
    return f"{error.field}: {error}" if isinstance(error, ChatError) and error.field else str(error)


ENGINE_FIELDS: Final = {"beams": "use_beam_search", "grammar": "response_format"}

to_problem: Final = ErrorTable(_KINDS, _text, ENGINE_FIELDS).to_problem
