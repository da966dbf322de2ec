"""Several prompts of one request, continued at the same time."""

from collections.abc import AsyncGenerator, Sequence
from typing import TypeVar

from typing_extensions import override

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.merge import merge
from handlers.operations.operation import GeneratingOperation
from handlers.operations.sequences import GeneratedRequest, collect_merged

BodyT = TypeVar("BodyT")
PlanT = TypeVar("PlanT")
AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class MergedOperation(
    GeneratingOperation[
        BodyT, PlanT, Sequence[GenerationRequest], Sequence[GeneratedRequest], AnswerT, EventT
    ]
):
    """One operation with a request of the engine for each prompt; a token comes with its prompt's number."""

    @override
    async def collect(
        self, active: ActiveRequest, plan: PlanT, prepared: Sequence[GenerationRequest]
    ) -> Sequence[GeneratedRequest]:
        return await collect_merged(
            self.tokens(active, prepared), len(prepared), prepared[0].num_sequences if prepared else 1
        )

    @override
    def num_tokens(self, result: Sequence[GeneratedRequest]) -> int:
        return sum(one.num_tokens for one in result)

    @override
    def tokens(
        self, active: ActiveRequest, prepared: Sequence[GenerationRequest]
    ) -> AsyncGenerator[tuple[int, TokenEvent], None]:
        return merge([active.run(request) for request in prepared])
