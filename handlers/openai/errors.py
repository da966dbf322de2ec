"""What a client is told when a request fails: statuses and codes that OpenAI's clients map to exceptions."""

from typing import Any, Final, NamedTuple

from engine.errors import (
    EngineError,
    EngineStopped,
    InvalidGrammar,
    InvalidRequest,
    NoTokenLeft,
    PromptTooLong,
    RequestAborted,
)
from handlers.concurrency.limit import RETRY_AFTER_S, Overloaded, retry_after_s
from handlers.faults.refused import Refused
from handlers.faults.violation import Violation
from handlers.runtime.problem import Problem
from handlers.service.exchange import IncompleteGeneration
from handlers.service.model_names import ModelNotFound

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
    """OpenAI's code for what is wrong with a field. given: what stands there, as parsed JSON."""
    code = _CODES.get(violation) if violation else None
    if violation in _BOUNDS:
        kind = next((name for kind, name in _KINDS if isinstance(given, kind)), None)
        return f"{kind}_{code}" if kind else "invalid_value"
    return code


class ErrorKind(NamedTuple):
    """How one kind of exception is told. code: OpenAI's, None where it has none.

    message: what is said instead of the exception's own text.
    """

    status: int
    code: str | None
    message: str | None = None
    retry_after_s: float | None = None


# The first class that an exception is an instance of counts.
_KINDS_OF_ERRORS: Final[dict[type[Exception], ErrorKind]] = {
    InvalidRequest: ErrorKind(400, "invalid_value"),
    Overloaded: ErrorKind(429, "rate_limit_exceeded", "The server is at its limit of concurrent requests"),
    EngineStopped: ErrorKind(503, "service_unavailable", "The server is shutting down", RETRY_AFTER_S),
    RequestAborted: ErrorKind(503, "service_unavailable", "The request was aborted", RETRY_AFTER_S),
    NoTokenLeft: ErrorKind(400, "invalid_value"),
    EngineError: ErrorKind(500, None),
    IncompleteGeneration: ErrorKind(500, None),
}


def told(error: Exception, prompt_field: str, grammar_field: str = "") -> Exception:
    """The contract's Problem for an exception; what nobody raised on purpose stays what it is.

    prompt_field: what the operation calls the prompt, which a full context is blamed on.
    grammar_field: what the request calls the grammar; empty where it has none.
    """
    match error:
        case PromptTooLong():
            return _too_long(error, prompt_field)
        case ModelNotFound():
            return Problem(
                404,
                f"The model `{error.name[:200]}` does not exist or you do not have access to it.",
                "model_not_found",
                field=error.field,
                violation=error.violation,
            )
        case Refused():
            code = code_of(error.violation)
            return Problem(400, str(error), code or "", field=error.field, violation=error.violation)
        case InvalidGrammar():
            return Problem(400, str(error), "invalid_value", field=grammar_field)
    for cause, kind in _KINDS_OF_ERRORS.items():
        if isinstance(error, cause):
            message = kind.message or str(error)
            return Problem(
                kind.status, message, kind.code or "", retry_after_s=retry_after_s(error, kind.retry_after_s)
            )
    return error


def _too_long(error: PromptTooLong, field: str) -> Problem:
    """Clients look for the first words to tell a full context from other errors."""
    total = error.num_prompt_tokens + error.max_tokens
    message = (
        f"This model's maximum context length is {error.max_total_tokens} tokens. However, you requested "
        f"{error.counted(total)} tokens ({error.counted(error.num_prompt_tokens)} in the {field}, "
        f"{error.max_tokens} in the completion). "
        f"Please reduce the length of the {field} or completion."
    )
    return Problem(400, message, "context_length_exceeded", field=field)
