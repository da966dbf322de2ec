"""The contract's error bodies, and the headers of every answer."""

import re
from collections.abc import Mapping
from typing import ClassVar, Final, final

from pydantic import BaseModel
from typing_extensions import override

from generated.systemone import models as m
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.errors import Violation
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, Problem

INVALID: Final = 422
_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "method_not_allowed_error",
    413: "payload_too_large_error",
    415: "unsupported_media_type_error",
    429: "rate_limit_error",
    503: "unavailable_error",
}
_KINDS: Final = {
    Violation.MALFORMED_JSON: "json_invalid",
    Violation.MISSING: "missing",
    Violation.UNKNOWN: "extra_forbidden",
    Violation.WRONG_TYPE: "type_error",
    Violation.TOO_SHORT: "too_short",
    Violation.TOO_LONG: "too_long",
}
_STEP: Final = re.compile(r"\[(\d+)\]|([^.\[]+)")


@final
class SystemOneContract(ModelContract):
    """`{"detail": [...]}` for an invalid request, `{"detail": {"error_type", "message"}}` for all else."""

    name: ClassVar[str] = "systemone"

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        if problem.status != INVALID:
            kind = _TYPES.get(problem.status, "internal_error")
            return m.Failure(detail=m.FailureDetail(error_type=kind, message=problem.message))
        message = problem.reason if isinstance(problem, InvalidRequest) else problem.message
        kind = "value_error" if problem.violation is None else _KINDS.get(problem.violation, "value_error")
        return m.ValidationError(
            detail=[m.ValidationDetail(loc=["body", *_steps(problem.field)], msg=message, type=kind)]
        )

    @override
    def headers(self, call: RequestCall) -> Mapping[str, str]:
        return {"x-typesafe-request-id": call.request_id}


def _steps(field: str) -> list[str | int]:
    """Return the steps to a field, such as `questions.risk.criteria[0]`."""
    return [int(match[1]) if match[1] else match[2] for match in _STEP.finditer(field)]
