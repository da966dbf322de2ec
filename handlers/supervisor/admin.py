"""The admin API: its operations and the form of its errors."""

from collections.abc import Sequence
from typing import ClassVar, Final, final

from pydantic import MISSING, BaseModel
from typing_extensions import override

from generated.admin import models as m
from generated.admin.operations import NoHeaders, Operations
from handlers.supervisor.model import Model
from handlers.supervisor.models import Models
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.operation import Call, Operation
from verbatim_kit.runtime.problem import Problem

_DONE: Final = m.Done()


@final
class AdminContract(Contract):
    """`{"error": text}`."""

    name: ClassVar[str] = "admin"

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> BaseModel:
        return m.ErrorResponse(error=problem.message)


@final
class AdminHandlers(Operations):
    """Answers every operation of the contract, once its work is done."""

    def __init__(self, models: Models) -> None:
        self._models = models

    @override
    async def list_models(self, call: Call[NoHeaders]) -> m.ModelList:
        models = [
            m.Model(
                name=model.name,
                state=model.state.value,
                is_sleeping=model.is_asleep,
                memory_bytes=model.memory_bytes,
                waiting_requests=model.num_waiting,
                running_requests=model.num_requests,
            )
            for model in self._models.models
        ]
        return m.ModelList(models=models)

    @override
    async def load(self, arguments: m.LoadArguments, call: Call[NoHeaders]) -> m.Done:
        await self._models.start(self._one(arguments.model))
        return _DONE

    @override
    async def unload(self, arguments: m.UnloadArguments, call: Call[NoHeaders]) -> m.Done:
        await self._one(arguments.model).stop()
        return _DONE

    @override
    async def sleep(self, arguments: m.SleepArguments, call: Call[NoHeaders]) -> m.Done:
        await self._models.sleep(self._chosen(arguments.model))
        return _DONE

    @override
    async def wake_up(self, arguments: m.WakeUpArguments, call: Call[NoHeaders]) -> m.Done:
        await self._models.wake(self._chosen(arguments.model))
        return _DONE

    @override
    async def wake(self, arguments: m.WakeArguments, call: Call[NoHeaders]) -> m.Done:
        await self._models.wake(self._chosen(arguments.model))
        return _DONE

    @override
    async def is_sleeping(self, arguments: m.IsSleepingArguments, call: Call[NoHeaders]) -> m.Sleep:
        return m.Sleep(is_sleeping=all(model.is_asleep for model in self._chosen(arguments.model)))

    def _chosen(self, name: str | MISSING) -> Sequence[Model]:
        """Return the model of a name; all models where none is named. Raises Problem."""
        return self._models.models if name is MISSING else [self._one(name)]

    def _one(self, name: str) -> Model:
        if (model := self._models.named(name)) is None:
            names = ", ".join(each.name for each in self._models.models)
            raise Problem(404, f"There is no model {name!r}; there are: {names}")
        return model
