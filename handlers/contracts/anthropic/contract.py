"""The contract's error bodies, and the headers of every answer."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Final, Literal, TypeAlias, final

from pydantic import MISSING, BaseModel
from typing_extensions import override

from generated.anthropic import models as m
from handlers.access.visits.visit import current_limits
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.errors import Violation
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, Problem

_ErrorType: TypeAlias = Literal[
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "request_too_large",
    "rate_limit_error",
    "api_error",
    "overloaded_error",
]
_TYPES: Final[Mapping[int, _ErrorType]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@final
class AnthropicContract(ModelContract):
    """`{"type": "error", "error": {"type", "message"}, "request_id"}`, and a name for every request."""

    name: ClassVar[str] = "anthropic"
    chat_operations: ClassVar[frozenset[str]] = frozenset({"createMessage"})
    marking_header: ClassVar[str | None] = "anthropic-version"

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        kind = _TYPES.get(problem.status, "invalid_request_error")
        return m.ErrorResponse(
            type="error",
            error=m.ErrorObject(type=kind, message=_message(problem), details=_details(problem)),
            request_id=call.request_id,
        )

    @override
    def headers(self, call: RequestCall) -> Mapping[str, str]:
        headers = {"request-id": call.request_id}
        for limit in current_limits():
            full = datetime.now(UTC) + timedelta(seconds=limit.reset_s)
            name = f"anthropic-ratelimit-{limit.unit}"
            headers[f"{name}-limit"] = str(limit.per_minute)
            headers[f"{name}-remaining"] = str(limit.left)
            headers[f"{name}-reset"] = f"{full:%Y-%m-%dT%H:%M:%SZ}"
        return headers


def _details(problem: Problem) -> m.ErrorDetails | MISSING:
    """Return the code at which the SDK's tool runner, which asks for a thread, goes on without one."""
    if problem.field != "thread":
        return MISSING
    return m.ErrorDetails(error_code="thread_unsupported_request")


def _message(problem: Problem) -> str:
    if isinstance(problem, InvalidRequest) and problem.violation is Violation.UNSUPPORTED_FIELD:
        return f"{problem.field}: is not supported by this server"
    return problem.message
