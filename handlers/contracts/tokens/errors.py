"""The table from errors to statuses."""

from typing import Final

from engine.port.errors import (
    EngineError,
    EngineStopped,
    InvalidGrammar,
    InvalidRequest,
    InvalidToken,
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

STRUCTURED_OUTPUTS: Final = "sampling_params.structured_outputs"

_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    ModelNotFound: ErrorKind(404),
    UnknownAdapter: ErrorKind(404, field="model"),
    Refused: ErrorKind(400),
    InvalidGrammar: ErrorKind(400, field=STRUCTURED_OUTPUTS),
    PromptTooLong: ErrorKind(400, field="token_ids"),
    InvalidToken: ErrorKind(400, field="token_ids"),
    InvalidRequest: ErrorKind(400),
    NoTokenLeft: ErrorKind(400, field="sampling_params"),
    Overloaded: ErrorKind(429, message="The server is at its limit of concurrent requests"),
    EngineStopped: ErrorKind(503, message="The server is shutting down", retry_after_s=RETRY_AFTER_S),
    RequestAborted: ErrorKind(503, message="The request was aborted", retry_after_s=RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}

ENGINE_FIELDS: Final = {"grammar": "structured_outputs", "thinking_budget": "thinking_token_budget"}

to_problem: Final = ErrorTable(_KINDS, fields=ENGINE_FIELDS).to_problem
