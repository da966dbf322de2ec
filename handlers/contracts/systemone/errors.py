"""The table from errors to statuses."""

from typing import Final

from engine.port.errors import (
    EngineError,
    EngineStopped,
    InvalidRequest,
    NoTokenLeft,
    PromptTooLong,
    RequestAborted,
    UnknownAdapter,
)
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from handlers.served_model.model_names import ModelNotFound
from verbatim_kit.errors import Refused

_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    ModelNotFound: ErrorKind(404),
    UnknownAdapter: ErrorKind(404, field="model"),
    Refused: ErrorKind(422),
    PromptTooLong: ErrorKind(422, field="state"),
    InvalidRequest: ErrorKind(422),
    NoTokenLeft: ErrorKind(422, field="state"),
    Overloaded: ErrorKind(429, message="The server is at its limit of concurrent requests"),
    EngineStopped: ErrorKind(503, message="The server is shutting down", retry_after_s=RETRY_AFTER_S),
    RequestAborted: ErrorKind(503, message="The request was aborted", retry_after_s=RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}

to_problem: Final = ErrorTable(_KINDS).to_problem
