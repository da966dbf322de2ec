"""The contract's error bodies."""

from collections.abc import Mapping
from typing import ClassVar, Final, final

from pydantic import BaseModel
from typing_extensions import override

from generated.tokens import models as m
from handlers.contracts.tokens.errors import ENGINE_FIELDS
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem

_TYPES: Final = {
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    405: "MethodNotAllowedError",
    413: "PayloadTooLargeError",
    415: "UnsupportedMediaTypeError",
    429: "RateLimitError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
}


@final
class TokensContract(ModelContract):
    """`{"error": {"message", "type", "param", "code"}}`, where the code is the status."""

    name: ClassVar[str] = "tokens"
    engine_fields: ClassVar[Mapping[str, str]] = ENGINE_FIELDS
    probes: ClassVar[frozenset[str]] = frozenset({"health"})

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(
            error=m.Error(
                message=problem.message,
                type=_TYPES.get(problem.status, "BadRequestError"),
                param=problem.field or None,
                code=problem.status,
            )
        )
