"""The contract's error bodies."""

from typing import ClassVar, Final, final

from pydantic import BaseModel
from typing_extensions import override

from generated.tgi import models as m
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest, Problem

_OPENAI_STREAMS: Final = frozenset({"chat_completions", "completions"})


@final
class TgiContract(ModelContract):
    """`{"error", "error_type"}`, and OpenAI's nested shape inside streams of chat and completions."""

    name: ClassVar[str] = "tgi"
    chat_operations: ClassVar[frozenset[str]] = frozenset({"chat_completions"})
    probes: ClassVar[frozenset[str]] = frozenset({"health"})

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(error=problem_text(problem), error_type=problem.kind)

    @override
    def error_event(self, problem: Problem, operation: Operation, call: RequestCall) -> BaseModel:
        if operation.handler not in _OPENAI_STREAMS:
            return self.error_body(problem, operation, call)
        detail = m.StreamErrorDetail(
            message=problem_text(problem), http_status_code=problem.status, type=problem.kind
        )
        return m.StreamError(error=detail, error_type=problem.kind)


def problem_text(problem: Problem) -> str:
    """Return the text of a problem's body; its prefix says that the body of the request is at fault."""
    is_invalid = isinstance(problem, InvalidRequest)
    return f"Input validation error: {problem.message}" if is_invalid else problem.message
