"""The contract's error bodies."""

from collections.abc import Mapping
from typing import ClassVar, final

from typing_extensions import override

from generated.aleph_alpha import models as m
from handlers.contracts.aleph_alpha.errors import ENGINE_FIELDS, code_of
from handlers.served_model.model_contract import ModelContract
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem


@final
class AlephAlphaContract(ModelContract):
    """`{"error": "for people", "code": "FOR_PROGRAMS"}`."""

    name: ClassVar[str] = "aleph_alpha"
    chat_operations: ClassVar[frozenset[str]] = frozenset({"chatCompletions"})
    engine_fields: ClassVar[Mapping[str, str]] = ENGINE_FIELDS
    has_comments: ClassVar[bool] = False  # the Python client gives up at any line that is no data

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> m.Error:
        return m.Error(error=problem.message, code=code_of(problem))
