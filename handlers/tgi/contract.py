"""The contract's error bodies."""

from typing import ClassVar, Final, final

from pydantic import BaseModel
from typing_extensions import override

from generated.operation import Operation
from generated.tgi import models as m
from handlers.runtime.call import RequestCall
from handlers.runtime.contract import Contract
from handlers.runtime.problem import Problem
from handlers.tgi_family.errors import problem_text

_OPENAI_STREAMS: Final = frozenset({"chat_completions", "completions"})


@final
class TgiContract(Contract):
    """`{"error", "error_type"}`, and OpenAI's nested shape inside streams of chat and completions."""

    name: ClassVar[str] = "tgi"
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
