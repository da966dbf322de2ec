"""The table from errors to statuses, codes and messages, which OpenAI's clients map to exceptions."""

from typing import Any, Final

from engine.port.errors import (
    EngineError,
    EngineStopped,
    InvalidGrammar,
    InvalidRequest,
    NotCapable,
    NoTokenLeft,
    PromptTooLong,
    RequestAborted,
    UnknownAdapter,
)
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from handlers.served_model.model_names import ModelNotFound
from handlers.store.record import NoRoom, StoreError
from verbatim_kit.errors import Refused, Violation
from verbatim_kit.runtime.problem import Problem

_CODES: Final = {
    Violation.MISSING: "missing_required_parameter",
    Violation.UNKNOWN: "unknown_parameter",
    Violation.REPEATED: "invalid_value",
    Violation.WRONG_TYPE: "invalid_type",
    Violation.UNSUPPORTED_VALUE: "unsupported_value",
    Violation.UNSUPPORTED_FIELD: "unsupported_parameter",
    Violation.INVALID_VALUE: "invalid_value",
    Violation.TOO_SMALL: "below_min_value",
    Violation.TOO_LARGE: "above_max_value",
    Violation.TOO_SHORT: "below_min_length",
    Violation.TOO_LONG: "above_max_length",
}
_BOUNDS: Final = (Violation.TOO_SMALL, Violation.TOO_LARGE, Violation.TOO_SHORT, Violation.TOO_LONG)
# OpenAI puts what a bound is of before its name.
_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (int, "integer"),
    (float, "decimal"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)


def code_of(violation: Violation | None, given: Any = None) -> str | None:
    """Return OpenAI's code for a fault of a field. given: the field's value, as parsed JSON."""
    code = _CODES.get(violation) if violation else None
    if violation in _BOUNDS:
        kind = next((name for kind, name in _KINDS if isinstance(given, kind)), None)
        return f"{kind}_{code}" if kind else "invalid_value"
    return code


_STORE_RETRY_AFTER_S: Final = 10.0  # a full disk seldom gets room at once

_ERROR_KINDS: Final[dict[type[Exception], ErrorKind]] = {
    ModelNotFound: ErrorKind(404, "model_not_found"),
    UnknownAdapter: ErrorKind(404, "model_not_found", field="model"),
    NotCapable: ErrorKind(400, "unsupported_parameter"),
    InvalidRequest: ErrorKind(400, "invalid_value"),
    Overloaded: ErrorKind(
        429, "rate_limit_exceeded", message="The server is at its limit of concurrent requests"
    ),
    EngineStopped: ErrorKind(
        503, "service_unavailable", message="The server is shutting down", retry_after_s=RETRY_AFTER_S
    ),
    RequestAborted: ErrorKind(
        503, "service_unavailable", message="The request was aborted", retry_after_s=RETRY_AFTER_S
    ),
    NoTokenLeft: ErrorKind(400, "invalid_value"),
    EngineError: ErrorKind(500),
    IncompleteGeneration: ErrorKind(500),
    NoRoom: ErrorKind(413, "storage_limit_exceeded"),
    StoreError: ErrorKind(503, "service_unavailable", retry_after_s=_STORE_RETRY_AFTER_S),
}


def to_problem(
    error: Exception, prompt_field: str, grammar_field: str = "", budget_field: str = ""
) -> Exception:
    """Return the contract's Problem for an error, or the error itself where the contract has none for it.

    prompt_field: the operation's name for the prompt, which a full context is blamed on.
    grammar_field: the field that the grammar comes from; empty where there is none.
    budget_field: likewise, of the thinking budget.
    """
    match error:
        case NotCapable(parameter="thinking_budget"):
            return _TABLE.to_problem(NotCapable(budget_field))
        case PromptTooLong():
            return _too_long(error, prompt_field)
        case InvalidGrammar():
            return Problem(400, str(error), "invalid_value", field=grammar_field)
        case Refused() if not isinstance(error, ModelNotFound):
            code = code_of(error.violation)
            return Problem(400, str(error), code or "", field=error.field, violation=error.violation)
        case _:
            return _TABLE.to_problem(error)


def _too_long(error: PromptTooLong, field: str) -> Problem:
    """Clients look for the first words to distinguish a full context from other errors."""
    total = error.num_prompt_tokens + error.max_tokens
    message = (
        f"This model's maximum context length is {error.max_total_tokens} tokens. However, you requested "
        f"{error.counted(total)} tokens ({error.counted(error.num_prompt_tokens)} in the {field}, "
        f"{error.max_tokens} in the completion). "
        f"Please reduce the length of the {field} or completion."
    )
    return Problem(400, message, "context_length_exceeded", field=field)


def _text(error: Exception) -> str:
    if isinstance(error, ModelNotFound | UnknownAdapter):
        remedy = error.remedy if isinstance(error, ModelNotFound) else ""
        return f"The model `{error.name[:200]}` does not exist or you do not have access to it.{remedy}"
    return str(error)


ENGINE_FIELDS: Final = {"beams": "use_beam_search", "grammar": "response_format", "embeddings": "model"}

_TABLE: Final = ErrorTable(_ERROR_KINDS, _text, ENGINE_FIELDS)
