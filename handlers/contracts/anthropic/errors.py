"""The table from errors to statuses and messages."""

from typing import Final

from engine.port.errors import (
    EngineError,
    EngineStopped,
    InvalidGrammar,
    InvalidRequest,
    NoTokenLeft,
    PromptTooLong,
    UnknownAdapter,
)
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from handlers.served_model.model_names import ModelNotFound
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.problem import Problem

# 529 is Anthropic's own status.
_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    ModelNotFound: ErrorKind(404),
    Refused: ErrorKind(400),
    UnknownAdapter: ErrorKind(404, field="model"),
    InvalidRequest: ErrorKind(400),
    NoTokenLeft: ErrorKind(400),
    Overloaded: ErrorKind(529, message="The server is at its limit of concurrent requests"),
    EngineStopped: ErrorKind(529, message="The server is shutting down", retry_after_s=RETRY_AFTER_S),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
}


def to_problem(error: Exception, grammar_field: str = "") -> Exception:
    """Return the contract's Problem for an error, or the error itself where the contract has none for it.

    grammar_field: the field that the grammar comes from; empty where there is none.
    """
    match error:
        case PromptTooLong():
            return _too_long(error)
        case InvalidGrammar():
            return Problem(400, f"{grammar_field}: {error}", field=grammar_field)
        case _:
            return _TABLE.to_problem(error)


def _too_long(error: PromptTooLong) -> Problem:
    """Clients look for the first words, to shorten the conversation and try again."""
    given = error.counted(error.num_prompt_tokens)
    message = f"prompt is too long: {given} tokens > {error.max_total_tokens - 1} maximum"
    return Problem(400, message, field="messages")


def _text(error: Exception) -> str:
    if isinstance(error, ModelNotFound):
        return f"{error.field}: {error.name[:200]}{error.remedy}"
    if isinstance(error, UnknownAdapter):
        return f"model: {error.name[:200]}"
    return f"{error.field}: {error}" if isinstance(error, Refused) and error.field else str(error)


_TABLE: Final = ErrorTable(_KINDS, _text)
