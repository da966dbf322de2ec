"""The contract's error bodies."""

from collections.abc import Mapping
from typing import ClassVar, Final, final

from pydantic import BaseModel
from typing_extensions import override

from generated.triton import models as m
from handlers.contracts.triton.errors import ENGINE_FIELDS
from handlers.contracts.triton.signature import DataType, signature
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.errors import Violation
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, MethodNotAllowed, NotFound, Problem

_PARAMETERS: Final = "parameters."
# Names that Triton's JSON reader has for the values that a tensor's elements are read from.
_JSON_KINDS: Final[dict[DataType, str]] = {
    "BOOL": "boolean",
    "INT32": "signed-integer",
    "UINT32": "unsigned-integer",
    "UINT64": "unsigned-integer",
    "FP32": "number",
    "BYTES": "string",
}


@final
class TritonContract(ModelContract):
    """`{"error": "<message>"}`, in Triton's words where it has any."""

    name: ClassVar[str] = "triton"
    engine_fields: ClassVar[Mapping[str, str]] = ENGINE_FIELDS
    probes: ClassVar[frozenset[str]] = frozenset(
        {"serverLive", "serverReady", "modelReady", "modelVersionReady"}
    )

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(error=_message(problem))


def _message(problem: Problem) -> str:
    match problem:
        case NotFound():
            return f"Not Found{problem.hint}"
        case MethodNotAllowed():
            return "Method Not Allowed"
        case InvalidRequest(violation=Violation.MALFORMED_JSON | Violation.INVALID_UTF8):
            return f"failed to parse the request JSON buffer: {problem.message}"
        case InvalidRequest(field="id"):
            return f"Unable to parse 'id': {_not_a('string')}"
        case InvalidRequest(field="parameters", violation=Violation.WRONG_TYPE):
            return "Expected JSON object for keyword: 'parameters'"
        case InvalidRequest():
            return _about_member(problem)
        case _:
            return problem.message


def _about_member(problem: InvalidRequest) -> str:
    """Return the message about a member of the request or of its `parameters`."""
    if not problem.field:
        return problem.message
    is_inner = problem.field.startswith(_PARAMETERS)
    prefix = "Converting keyword: 'parameters': " if is_inner else ""
    name = problem.field.removeprefix(_PARAMETERS).partition("[")[0]
    tensor = signature().inputs.get(name)
    if tensor is None:
        return prefix + _about_parameter(name, problem)
    if problem.violation is Violation.WRONG_TYPE and not isinstance(problem.given, list | dict):
        return f"{prefix}Unable to parse '{name}': {_not_a(_JSON_KINDS[tensor.datatype])}"
    if isinstance(problem.given, list | dict):
        return f"{prefix}The schema can not convert input '{name}' to tensor with proper shape"
    return f"{prefix}input '{name}' {problem.reason}"


def _about_parameter(name: str, problem: InvalidRequest) -> str:
    if problem.given is None or isinstance(problem.given, list | dict):
        return f"parameter '{name}' has invalid type. It should be either 'int', 'bool', or 'string'."
    if problem.violation is Violation.UNKNOWN:
        return f"Unexpected parameter '{name}': the model has no input and no parameter of that name"
    return f"parameter '{name}' {problem.reason}"


def _not_a(kind: str) -> str:
    return f"attempt to access JSON non-{kind} as {kind}"
