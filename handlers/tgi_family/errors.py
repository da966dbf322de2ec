"""Errors of TGI's kin beside those of all contracts, and the texts of their problems.

Refused, of all contracts
├── SuffixRefused       `suffix` on completions, and the model cannot fill a gap
└── BatchTooLarge       more prompts than the server takes at once
"""

from engine.port.errors import PromptTooLong
from engine.port.text.infill import NO_INFILL
from handlers.chat.errors import InvalidMessage, UnsupportedContent
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation
from handlers.runtime.problem import InvalidRequest, Problem


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


def problem_text(problem: Problem) -> str:
    """Return the text of a problem's body; its prefix says that the body of the request is at fault."""
    is_invalid = isinstance(problem, InvalidRequest)
    return f"Input validation error: {problem.message}" if is_invalid else problem.message


def error_text(error: Exception) -> str:
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
