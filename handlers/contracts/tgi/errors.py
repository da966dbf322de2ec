"""Errors in addition to those of all contracts, and the table from errors to statuses, slugs and messages.

Refused, of all contracts
├── SuffixRefused       `suffix` on completions, and the model cannot fill a gap
└── BatchTooLarge       more prompts than the server takes at once
"""

from typing import Final

from engine.port.errors import (
    EngineStopped,
    GenerationFailed,
    InvalidRequest,
    NoTokenLeft,
    PromptTooLong,
    RequestAborted,
    UnknownAdapter,
)
from engine.port.text.infill import NO_INFILL
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.chat.errors import InvalidMessage, TemplateError, ToolError, UnsupportedContent
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from verbatim_kit.errors import Refused, Violation


class SuffixRefused(Refused):
    """The model cannot fill the gap before a suffix."""

    def __init__(self) -> None:
        super().__init__(NO_INFILL, "suffix", Violation.UNSUPPORTED_FIELD)


class BatchTooLarge(Refused):
    """More prompts than the server takes at once."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"Number of prompts exceeds the maximum allowed batch size of {limit}",
            "prompt",
            Violation.TOO_LONG,
        )


def error_table(*, invalid: int, failed: int, incomplete: int, adapter_field: str) -> ErrorTable:
    """Return the table of a contract.

    Slugs and prefixes are those of the released servers, which clients map to exceptions of their own.

    invalid: the status of a request that breaks a rule. failed: of one whose generation fails. incomplete: of
    one whose events end early. adapter_field: the field that names an adapter.
    """
    prefix = "Input validation error: "
    kinds: dict[type[Exception], ErrorKind] = {
        SuffixRefused: ErrorKind(invalid, "suffix not supported"),
        BatchTooLarge: ErrorKind(invalid, "batch size exceeded"),
        TemplateError: ErrorKind(invalid, "template_error", "Template error: "),
        ToolError: ErrorKind(invalid, "tool_error", "Tool error: "),
        Refused: ErrorKind(invalid, "validation", prefix),
        UnknownAdapter: ErrorKind(invalid, "validation", f"{prefix}{adapter_field}: ", field=adapter_field),
        InvalidRequest: ErrorKind(invalid, "validation", prefix),
        Overloaded: ErrorKind(429, "overloaded", message="Model is overloaded"),
        NoTokenLeft: ErrorKind(invalid, "validation", prefix),
        GenerationFailed: ErrorKind(failed, "generation", "Request failed during generation: "),
        RequestAborted: ErrorKind(failed, "generation", "Request failed during generation: "),
        IncompleteGeneration: ErrorKind(incomplete, "incomplete_generation", message="Incomplete generation"),
        EngineStopped: ErrorKind(
            503, "unavailable", message="The server is shutting down", retry_after_s=RETRY_AFTER_S
        ),
    }
    return ErrorTable(kinds, _text)


def _text(error: Exception) -> str:
    """Return the message of an error whose kind has none of its own."""
    if isinstance(error, PromptTooLong):
        # Clients look for these words to distinguish a full context from other errors.
        return (
            f"`inputs` tokens + `max_new_tokens` must be <= {error.max_total_tokens}. "
            f"Given: {error.counted(error.num_prompt_tokens)} `inputs` tokens and {error.max_tokens} "
            "`max_new_tokens`"
        )
    if isinstance(error, InvalidMessage | UnsupportedContent):
        return f"{error.field}: {error}"
    return str(error)


to_problem: Final = error_table(
    invalid=422, failed=424, incomplete=500, adapter_field="adapter_id"
).to_problem
