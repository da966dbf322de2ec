"""The contract's error bodies."""

from typing import ClassVar, final

from pydantic import BaseModel
from typing_extensions import override

from generated.hf import models as m
from generated.operation import Operation
from handlers.runtime.call import RequestCall
from handlers.runtime.contract import Contract
from handlers.runtime.problem import Problem
from handlers.tgi.contract import problem_text


@final
class HfContract(Contract):
    """`{"error", "error_type"}`, inside streams too."""

    name: ClassVar[str] = "hf"
    chat_operations: ClassVar[frozenset[str]] = frozenset({"chatCompletions"})
    probes: ClassVar[frozenset[str]] = frozenset({"healthCheck"})

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(error=problem_text(problem), error_type=problem.kind)
