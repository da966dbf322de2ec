"""The contract's operations."""

from typing import Final, final

from typing_extensions import override

from generated.systemone import models as m
from generated.systemone.operations import ListModelsHeaders, Operations, SystemOneHeaders
from handlers.active_requests.admission import AdmissionControl
from handlers.chat.errors import ChatError
from handlers.chat.messages import ChatMessage
from handlers.contracts.systemone.errors import to_problem
from handlers.contracts.systemone.request import neutral_request
from handlers.contracts.systemone.response import system_one_response
from handlers.decisions.decider import Decider
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Call

_DECIDES: Final = frozenset({"system_one"})
_UNKNOWN_DAY: Final = "1970-01-01"  # of a release that nothing here knows


@final
class SystemOneHandlers(AdmissionControl, Operations):
    """Answers questions with probabilities, and names the models."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared.active_requests, to_problem, _DECIDES)
        self._shared = shared
        self._decider = Decider(shared)

    @override
    async def system_one(self, body: m.SystemOneRequest, call: Call[SystemOneHeaders]) -> m.SystemOneResponse:
        shared = self._shared
        with shared.active_requests.open(call.received_s, to_problem) as active:
            adapter = shared.model_names.resolve(body.model).adapter
            state, questions = await shared.workers.prepare(neutral_request, body)
            messages = (ChatMessage(role="user", content=state),)
            with active.permits("questions", len(questions), takes_turns=True):
                try:
                    decisions = await self._decider.decide(active, messages, questions, adapter)
                except ChatError as error:
                    if not error.field.startswith("assets."):
                        error.field = "state"
                    raise
        model = adapter or shared.model_names.served
        return await shared.workers.compute(system_one_response, model, body, decisions)

    @override
    async def list_models(self, call: Call[ListModelsHeaders]) -> m.ModelList:
        description = self._shared.model_info.architecture
        return m.ModelList(
            models=[
                m.Model(name=name, description=description, release_date=_UNKNOWN_DAY)
                for name in self._shared.model_names.listed
            ]
        )
