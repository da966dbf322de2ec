"""The contract's error bodies."""

from typing import ClassVar, final

from pydantic import BaseModel
from typing_extensions import override

from generated.hf import models as m
from handlers.contracts.tgi.contract import problem_text
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem


@final
class HfContract(ModelContract):
    """`{"error", "error_type"}`, inside streams too."""

    name: ClassVar[str] = "hf"
    chat_operations: ClassVar[frozenset[str]] = frozenset({"chatCompletions"})
    probes: ClassVar[frozenset[str]] = frozenset({"healthCheck"})

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(error=problem_text(problem), error_type=problem.kind)
