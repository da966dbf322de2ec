"""The contract's error bodies, and the headers of every answer."""

from collections.abc import Mapping
from typing import ClassVar, Final, Literal, TypeAlias, final

from pydantic import BaseModel
from typing_extensions import override

from generated.open_responses import models as m
from handlers.contracts.openai.contract import answer_headers, message_of, problem_code
from handlers.contracts.openai.errors import ENGINE_FIELDS
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem

_Type: TypeAlias = Literal["server_error", "invalid_request", "not_found", "too_many_requests"]

_TYPES: Final[Mapping[int, _Type]] = {404: "not_found", 429: "too_many_requests"}


@final
class OpenResponsesContract(ModelContract):
    """OpenAI's form of errors, with the types that the specification lists."""

    name: ClassVar[str] = "open_responses"
    base_path: ClassVar[str] = "/v1"
    chat_operations: ClassVar[frozenset[str]] = frozenset({"createResponse"})
    engine_fields: ClassVar[Mapping[str, str]] = ENGINE_FIELDS

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(
            error=m.ErrorDetail(
                message=message_of(problem),
                type=_type(problem),
                param=problem.field or None,
                code=problem_code(problem),
            )
        )

    @override
    def error_event(self, problem: Problem, operation: Operation, call: RequestCall) -> BaseModel:
        return m.ErrorStreamingEvent(
            type="error",
            sequence_number=0,
            error=m.ErrorPayload(
                type=_type(problem),
                code=problem_code(problem),
                message=message_of(problem),
                param=problem.field or None,
            ),
        )

    @override
    def web_socket_error(self, status: int, body: bytes) -> bytes:
        error = m.ErrorResponse.model_validate_json(body).error
        return (
            m.WebSocketErrorEvent(
                type="error",
                status=status,
                error=m.WebSocketErrorDetail(
                    type=error.type,
                    code=error.code or error.type,
                    message=error.message,
                    param=error.param,
                ),
            )
            .model_dump_json()
            .encode()
        )

    @override
    def headers(self, call: RequestCall) -> Mapping[str, str]:
        return answer_headers(call)


def _type(problem: Problem) -> _Type:
    return _TYPES.get(problem.status, "server_error" if problem.status >= 500 else "invalid_request")
