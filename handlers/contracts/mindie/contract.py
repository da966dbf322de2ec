"""The contract's error bodies."""

from collections.abc import Mapping
from typing import ClassVar, Final, final

from pydantic import BaseModel
from typing_extensions import override

from generated.mindie import models as m
from handlers.contracts.mindie.errors import ENGINE_FIELDS, INVALID, INVALID_TYPE
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, Problem

# The runtime's slugs in MindIE's words.
_TYPES: Final = {
    "validation": INVALID_TYPE,
    "unauthorized": "Unauthorized",
    "forbidden": "Forbidden",
    "not_found": "NotFoundError",
    "method_not_allowed": "Method Not Allowed",
    "overloaded": "Service Unavailable",
    "payload_too_large": "Payload Too Large",
    "unsupported_media_type": "Unsupported Media Type",
    "internal": "Internal Server Error",
}


@final
class MindieContract(ModelContract):
    """`{"error", "error_type"}`, in streams too."""

    name: ClassVar[str] = "mindie"
    base_path: ClassVar[str] = "/v1"
    chat_operations: ClassVar[frozenset[str]] = frozenset({"chatCompletions"})
    engine_fields: ClassVar[Mapping[str, str]] = ENGINE_FIELDS

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        message = INVALID + problem.message if isinstance(problem, InvalidRequest) else problem.message
        return m.ErrorResponse(error=message, error_type=_TYPES.get(problem.kind, problem.kind))
