"""What a client is told when a request fails: one table from exceptions to statuses, slugs and messages.

IncompleteGeneration    the engine's events ended before every sequence had
Refused                 a rule that no schema can state: another field, or a limit of the server, decides
├── SuffixRefused       `suffix` on completions: nothing here fills a gap
└── BatchTooLarge       more prompts than the server takes at once
"""

from typing import NamedTuple

from engine.errors import EngineStopped, GenerationFailed, InvalidRequest, PromptTooLong, RequestAborted
from handlers.chat.errors import ChatError, InvalidMessage, TemplateError, ToolError, UnsupportedContent
from handlers.limits import Overloaded
from handlers.tgi.metrics import Failure


class IncompleteGeneration(Exception):
    """The engine's events ended before every sequence had."""


class Refused(Exception):
    """The request breaks a rule; the message says which."""


class SuffixRefused(Refused):
    """Nothing here fills a gap."""

    def __init__(self) -> None:
        super().__init__("Suffix is not supported; preprocess the prompt instead.")


class BatchTooLarge(Refused):
    """More prompts than the server takes at once."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"Number of prompts exceeds the maximum allowed batch size of {limit}")


class ErrorKind(NamedTuple):
    """How one kind of exception is told. slug: `error_type`. failure: its label in the metrics.

    message: what is said instead of the exception's own text. prefix: what comes before it.
    """

    status: int
    slug: str
    failure: Failure
    prefix: str = ""
    message: str | None = None


# The first class that an exception is an instance of counts. Slugs and prefixes are those of the released
# servers, which clients map to exceptions of their own.
ERROR_KINDS: dict[type[Exception], ErrorKind] = {
    SuffixRefused: ErrorKind(422, "suffix not supported", "validation"),
    BatchTooLarge: ErrorKind(422, "batch size exceeded", "validation"),
    Refused: ErrorKind(422, "validation", "validation", "Input validation error: "),
    TemplateError: ErrorKind(422, "template_error", "template", "Template error: "),
    ToolError: ErrorKind(422, "tool_error", "validation", "Tool error: "),
    ChatError: ErrorKind(422, "validation", "validation", "Input validation error: "),
    InvalidRequest: ErrorKind(422, "validation", "validation", "Input validation error: "),
    Overloaded: ErrorKind(429, "overloaded", "overloaded", message="Model is overloaded"),
    GenerationFailed: ErrorKind(424, "generation", "generation", "Request failed during generation: "),
    RequestAborted: ErrorKind(424, "generation", "generation", "Request failed during generation: "),
    IncompleteGeneration: ErrorKind(
        500, "incomplete_generation", "incomplete", message="Incomplete generation"
    ),
    EngineStopped: ErrorKind(503, "unavailable", "generation", message="The server takes no new request"),
}


class Failed(NamedTuple):
    """An exception in the contract's terms."""

    kind: ErrorKind
    message: str


def describe(error: Exception) -> Failed | None:
    """None for an exception that nobody raised on purpose."""
    for cause, kind in ERROR_KINDS.items():
        if isinstance(error, cause):
            return Failed(kind, kind.prefix + (kind.message or _text(error)))
    return None


def _text(error: Exception) -> str:
    if isinstance(error, PromptTooLong):
        # Clients look for these words to tell a full context from other errors.
        return (
            f"`inputs` tokens + `max_new_tokens` must be <= {error.max_total_tokens}. "
            f"Given: {error.num_prompt_tokens} `inputs` tokens and {error.max_tokens} `max_new_tokens`"
        )
    if isinstance(error, InvalidMessage | UnsupportedContent):
        return f"{error.field}: {error}"
    return str(error)
