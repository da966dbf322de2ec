"""The table from errors to statuses, slugs and messages."""

from typing import Final

from engine.port.errors import (
    EngineStopped,
    GenerationFailed,
    InvalidRequest,
    NoTokenLeft,
    RequestAborted,
    UnknownAdapter,
)
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.chat.errors import TemplateError, ToolError
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.errors.refused import Refused
from handlers.served_model.error_table import ErrorKind, ErrorTable
from handlers.tgi_family.errors import BatchTooLarge, SuffixRefused, error_text

# Slugs and prefixes are those of the released servers, which clients map to exceptions of their own.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    SuffixRefused: ErrorKind(422, "suffix not supported"),
    BatchTooLarge: ErrorKind(422, "batch size exceeded"),
    TemplateError: ErrorKind(422, "template_error", "Template error: "),
    ToolError: ErrorKind(422, "tool_error", "Tool error: "),
    Refused: ErrorKind(422, "validation", "Input validation error: "),
    UnknownAdapter: ErrorKind(422, "validation", "Input validation error: adapter_id: ", field="adapter_id"),
    InvalidRequest: ErrorKind(422, "validation", "Input validation error: "),
    Overloaded: ErrorKind(429, "overloaded", message="Model is overloaded"),
    NoTokenLeft: ErrorKind(422, "validation", "Input validation error: "),
    GenerationFailed: ErrorKind(424, "generation", "Request failed during generation: "),
    RequestAborted: ErrorKind(424, "generation", "Request failed during generation: "),
    IncompleteGeneration: ErrorKind(500, "incomplete_generation", message="Incomplete generation"),
    EngineStopped: ErrorKind(
        503, "unavailable", message="The server is shutting down", retry_after_s=RETRY_AFTER_S
    ),
}

to_problem: Final = ErrorTable(_KINDS, error_text).to_problem
