"""What a client is told when a request fails: one table from exceptions to statuses and messages."""

from typing import Final, NamedTuple

from engine.errors import (
    EngineError,
    EngineStopped,
    InvalidGrammar,
    InvalidRequest,
    NoTokenLeft,
    PromptTooLong,
)
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded, retry_after_s
from handlers.faults.refused import Refused
from handlers.runtime.problem import Problem
from handlers.service.exchange import IncompleteGeneration
from handlers.service.model_names import ModelNotFound


class ErrorKind(NamedTuple):
    """How one kind of exception is told. message: what is said instead of the exception's own text."""

    status: int
    message: str | None = None
    retry_after_s: float | None = None


# The first class that an exception is an instance of counts. 529 is Anthropic's own status.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    InvalidRequest: ErrorKind(400),
    NoTokenLeft: ErrorKind(400),
    Overloaded: ErrorKind(529, "The server is at its limit of concurrent requests"),
    EngineStopped: ErrorKind(529, "The server is shutting down", RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}


def told(error: Exception, grammar_field: str = "") -> Exception:
    """The contract's Problem for an exception; what nobody raised on purpose stays what it is.

    grammar_field: what the request calls the grammar; empty where it has none.
    """
    match error:
        case PromptTooLong():
            return _too_long(error)
        case ModelNotFound():
            message = f"{error.field}: {error.name[:200]}"
            return Problem(404, message, field=error.field, violation=error.violation)
        case Refused():
            message = f"{error.field}: {error}" if error.field else str(error)
            return Problem(400, message, field=error.field, violation=error.violation)
        case InvalidGrammar():
            return Problem(400, f"{grammar_field}: {error}", field=grammar_field)
    for cause, kind in _KINDS.items():
        if isinstance(error, cause):
            return Problem(
                kind.status,
                kind.message or str(error),
                retry_after_s=retry_after_s(error, kind.retry_after_s),
            )
    return error


def _too_long(error: PromptTooLong) -> Problem:
    """Clients look for the first words, to shorten the conversation and try again."""
    given = error.counted(error.num_prompt_tokens)
    message = f"prompt is too long: {given} tokens > {error.max_total_tokens - 1} maximum"
    return Problem(400, message, field="messages")
