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

# 400 is of the request, 422 of its generation, as the document has it. Slugs and prefixes are those of the
# released servers, which clients map to exceptions of their own.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    SuffixRefused: ErrorKind(400, "suffix not supported"),
    BatchTooLarge: ErrorKind(400, "batch size exceeded"),
    TemplateError: ErrorKind(400, "template_error", "Template error: "),
    ToolError: ErrorKind(400, "tool_error", "Tool error: "),
    Refused: ErrorKind(400, "validation", "Input validation error: "),
    UnknownAdapter: ErrorKind(400, "validation", "Input validation error: model: ", field="model"),
    InvalidRequest: ErrorKind(400, "validation", "Input validation error: "),
    Overloaded: ErrorKind(429, "overloaded", message="Model is overloaded"),
    NoTokenLeft: ErrorKind(400, "validation", "Input validation error: "),
    GenerationFailed: ErrorKind(422, "generation", "Request failed during generation: "),
    RequestAborted: ErrorKind(422, "generation", "Request failed during generation: "),
    IncompleteGeneration: ErrorKind(422, "incomplete_generation", message="Incomplete generation"),
    EngineStopped: ErrorKind(
        503, "unavailable", message="The server is shutting down", retry_after_s=RETRY_AFTER_S
    ),
}

to_problem: Final = ErrorTable(_KINDS, error_text).to_problem
