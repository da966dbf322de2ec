"""What TGI's kin refuse beside the rules of all contracts, and the form of their tables of errors.

Refused, of all contracts
├── SuffixRefused       `suffix` on completions: nothing here fills a gap
└── BatchTooLarge       more prompts than the server takes at once
"""

from collections.abc import Mapping
from typing import NamedTuple

from engine.errors import PromptTooLong
from handlers.chat.errors import InvalidMessage, UnsupportedContent
from handlers.concurrency.limit import retry_after_s
from handlers.faults.refused import Refused
from handlers.faults.violation import Violation
from handlers.runtime.problem import InvalidRequest, Problem


class SuffixRefused(Refused):
    """Nothing here fills a gap."""

    def __init__(self) -> None:
        super().__init__(
            "Suffix is not supported; preprocess the prompt instead.", "suffix", Violation.UNSUPPORTED_FIELD
        )


class BatchTooLarge(Refused):
    """More prompts than the server takes at once."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"Number of prompts exceeds the maximum allowed batch size of {limit}",
            "prompt",
            Violation.TOO_LONG,
        )


class ErrorKind(NamedTuple):
    """How one kind of exception is told. slug: `error_type`.

    message: what is said instead of the exception's own text. prefix: what comes before it.
    retry_after_s: when the client may try again.
    """

    status: int
    slug: str
    prefix: str = ""
    message: str | None = None
    retry_after_s: float | None = None


ErrorKinds = Mapping[type[Exception], ErrorKind]
"""The first class that an exception is an instance of counts."""


def told_as(kinds: ErrorKinds, error: Exception) -> Exception:
    """The contract's Problem for an exception; what nobody raised on purpose stays what it is."""
    for cause, kind in kinds.items():
        if isinstance(error, cause):
            message = kind.prefix + (kind.message or _text(error))
            return Problem(
                kind.status, message, kind.slug, retry_after_s=retry_after_s(error, kind.retry_after_s)
            )
    return error


def problem_text(problem: Problem) -> str:
    """What a problem's body says; the prefix tells clients that the body of the request is at fault."""
    is_invalid = isinstance(problem, InvalidRequest)
    return f"Input validation error: {problem.message}" if is_invalid else problem.message


def _text(error: Exception) -> str:
    if isinstance(error, PromptTooLong):
        # Clients look for these words to tell a full context from other errors.
        return (
            f"`inputs` tokens + `max_new_tokens` must be <= {error.max_total_tokens}. "
            f"Given: {error.counted(error.num_prompt_tokens)} `inputs` tokens and {error.max_tokens} "
            "`max_new_tokens`"
        )
    if isinstance(error, InvalidMessage | UnsupportedContent):
        return f"{error.field}: {error}"
    return str(error)
