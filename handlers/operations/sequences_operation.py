"""One prompt of a request, continued in one sequence or several."""

from collections.abc import AsyncGenerator
from typing import TypeVar

from typing_extensions import override

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from handlers.active_requests.active_request import ActiveRequest
from handlers.operations.operation import GeneratingOperation
from handlers.operations.sequences import GeneratedRequest, collect_sequences

BodyT = TypeVar("BodyT")
PlanT = TypeVar("PlanT")
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class SequencesOperation(
    GeneratingOperation[BodyT, PlanT, GenerationRequest, GeneratedRequest, AnswerT, EventT]
):
    """One operation with one request of the engine."""

    @override
    async def collect(
        self, active: ActiveRequest, plan: PlanT, prepared: GenerationRequest
    ) -> GeneratedRequest:
        return await collect_sequences(active.run(prepared), prepared.num_sequences)

    @override
    def num_tokens(self, result: GeneratedRequest) -> int:
        return result.num_tokens

    @override
    def tokens(self, active: ActiveRequest, prepared: GenerationRequest) -> AsyncGenerator[TokenEvent, None]:
        return active.run(prepared)
