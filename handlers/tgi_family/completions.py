"""Prompts that are continued, whole or in pieces."""

from collections.abc import Sequence
from typing import TypeVar

from typing_extensions import override

from engine.port.request import GenerationRequest
from handlers.active_requests.active_request import ActiveRequest
from handlers.active_requests.timing import Timing
from handlers.concurrency.limit import HeldPermits
from handlers.errors.mapping import ToProblem
from handlers.operations.merged_operation import MergedOperation
from handlers.served_model.served_model import ServedModel
from handlers.tgi_family.headers import Headers, compute_headers, cost_headers
from handlers.tgi_family.request.completion_request import CompletionParams, check_params, completion_requests
from handlers.tgi_family.request.request_limits import RequestLimits

AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class Completions(MergedOperation[CompletionParams, CompletionParams, AnswerT, EventT]):
    """Continues prompts in a contract's form, which its subclass knows."""

    def __init__(
        self, shared: ServedModel, to_problem: ToProblem, limits: RequestLimits, compute_type: str
    ) -> None:
        super().__init__(shared, to_problem)
        self._limits = limits
        self._compute_type = compute_type

    @override
    def plan(self, params: CompletionParams, *, is_stream: bool) -> CompletionParams:
        check_params(params, self._limits, can_infill=self.shared.infill is not None)
        return params

    @override
    def permits(self, active: ActiveRequest, plan: CompletionParams) -> HeldPermits:
        return active.permits("prompt", len(plan.prompts))

    @override
    async def prepare(self, plan: CompletionParams) -> Sequence[GenerationRequest]:
        return await self.shared.workers.tokenize(
            plan.num_characters,
            completion_requests,
            plan,
            self._limits,
            self.shared.tokenizer,
            self.shared.infill,
        )

    @override
    def headers(self, plan: CompletionParams, prepared: Sequence[GenerationRequest]) -> Headers:
        return compute_headers(self._compute_type, *plan.prompts)

    @override
    def costs(self, timing: Timing) -> Headers:
        return cost_headers(timing)
