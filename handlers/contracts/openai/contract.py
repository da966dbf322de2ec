"""The contract's error bodies, and the headers of every answer."""

from collections.abc import Mapping
from math import ceil
from typing import ClassVar, Final, final

from pydantic import BaseModel
from typing_extensions import override

from generated.openai import models as m
from handlers.access.visits.visit import current_limits
from handlers.contracts.openai.errors import ENGINE_FIELDS, code_of
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.errors import Violation
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, Problem

_TYPES: Final = {429: "rate_limit_error", 500: "server_error", 503: "service_unavailable_error"}
_CODES: Final = {
    "unauthorized": "invalid_api_key",
    "not_found": "unknown_url",
    "overloaded": "rate_limit_exceeded",
    "unavailable": "service_unavailable",
    "validation": None,
    "internal": None,
}


@final
class OpenAIContract(ModelContract):
    """`{"error": {"message", "type", "param", "code"}}`, and a name for every request."""

    name: ClassVar[str] = "openai"
    base_path: ClassVar[str] = "/v1"
    chat_operations: ClassVar[frozenset[str]] = frozenset(
        {"createChatCompletion", "createChatCompletionBatch", "createResponse"}
    )
    # Clients of TGI and Aleph Alpha have these paths at the root, in forms of their own.
    yields: ClassVar[frozenset[str]] = frozenset({"/tokenize", "/detokenize"})
    engine_fields: ClassVar[Mapping[str, str]] = ENGINE_FIELDS
    embedding_operations: ClassVar[frozenset[str]] = frozenset({"createEmbedding"})
    transcription_operations: ClassVar[frozenset[str]] = frozenset(
        {"createTranscription", "createTranslation"}
    )

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(
            error=m.Error(
                message=message_of(problem),
                type=_TYPES.get(problem.status, "invalid_request_error"),
                param=problem.field or None,
                code=problem_code(problem),
            )
        )

    @override
    def error_event(self, problem: Problem, operation: Operation, call: RequestCall) -> BaseModel:
        if operation.event is not m.ResponseStreamEvent:
            return self.error_body(problem, operation, call)
        return m.ResponseErrorEvent(
            type="error",
            sequence_number=0,
            code=problem_code(problem),
            message=message_of(problem),
            param=problem.field or None,
        )

    @override
    def headers(self, call: RequestCall) -> Mapping[str, str]:
        return answer_headers(call)


def answer_headers(call: RequestCall) -> dict[str, str]:
    """Return the request's id, and what the key has left."""
    headers = {"x-request-id": call.request_id}
    for limit in current_limits():
        headers[f"x-ratelimit-limit-{limit.unit}"] = str(limit.per_minute)
        headers[f"x-ratelimit-remaining-{limit.unit}"] = str(limit.left)
        headers[f"x-ratelimit-reset-{limit.unit}"] = _duration(limit.reset_s)
    return headers


def _duration(seconds: float) -> str:
    """Return a time as OpenAI writes it: `6m0s`, `1s`, `17ms`."""
    if seconds < 1:
        return f"{ceil(seconds * 1000)}ms"
    minutes, rest = divmod(ceil(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def problem_code(problem: Problem) -> str | None:
    """Return OpenAI's code for an error, if it has one."""
    if isinstance(problem, InvalidRequest):
        return code_of(problem.violation, problem.given)
    return _CODES.get(problem.kind, problem.kind) or None


def message_of(problem: Problem) -> str:
    """Return the message in the words that users of OpenAI know, where there are such."""
    if not isinstance(problem, InvalidRequest):
        return problem.message
    match problem.violation:
        case Violation.MISSING:
            return f"Missing required parameter: '{problem.field}'."
        case Violation.UNKNOWN:
            return f"Unknown parameter: '{problem.field}'."
        case Violation.MALFORMED_FORM if not problem.field:
            return f"We could not parse the multipart/form-data body of your request: {problem.reason}."
        case Violation.MALFORMED_JSON:
            return f"We could not parse the JSON body of your request: {problem.reason}."
        case Violation.UNSUPPORTED_FIELD:
            return f"Unsupported parameter: '{problem.field}' is not supported by this server."
        case Violation.WRONG_TYPE if problem.field:
            return f"Invalid type for '{problem.field}': it {problem.reason}."
        case _:
            return f"Invalid '{problem.field}': it {problem.reason}." if problem.field else problem.message
