"""Text in, text out, whole or token by token."""

from collections.abc import AsyncGenerator
from functools import partial
from typing import NamedTuple, TypeVar

from typing_extensions import override

from engine.port.events import TokenEvent
from handlers.active_requests.active_request import ActiveRequest
from handlers.active_requests.timing import Timing
from handlers.chat.media import NOTHING_READ
from handlers.concurrency.limit import HeldPermits
from handlers.errors.mapping import ToProblem
from handlers.operations.operation import GeneratingOperation
from handlers.operations.sequences import GeneratedRequest, collect_sequences
from handlers.served_model.served_model import ServedModel
from handlers.tgi_family.headers import Headers, compute_headers, cost_headers
from handlers.tgi_family.request.params import GenerateParams
from handlers.tgi_family.request.prepared_generate import PreparedGenerate, prepared_generate
from handlers.tgi_family.request.request_limits import RequestLimits, num_streamed

AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class GeneratePlan(NamedTuple):
    """The plan of a request. num_sequences: the sequences to generate for the one that is answered."""

    params: GenerateParams
    num_sequences: int
    is_stream: bool


class Generate(
    GeneratingOperation[GenerateParams, GeneratePlan, PreparedGenerate, GeneratedRequest, AnswerT, EventT]
):
    """Answers requests of `/generate` in a contract's form, which its subclass knows."""

    def __init__(
        self, shared: ServedModel, to_problem: ToProblem, limits: RequestLimits, compute_type: str
    ) -> None:
        super().__init__(shared, to_problem)
        self._limits = limits
        self._compute_type = compute_type

    @override
    def plan(self, params: GenerateParams, *, is_stream: bool) -> GeneratePlan:
        num_sequences = num_streamed(params) if is_stream else self._limits.num_sequences(params)
        return GeneratePlan(params, num_sequences, is_stream)

    @override
    def permits(self, active: ActiveRequest, plan: GeneratePlan) -> HeldPermits:
        return active.permits("best_of", plan.num_sequences)

    @override
    async def prepare(self, plan: GeneratePlan) -> PreparedGenerate:
        prepare = partial(
            prepared_generate,
            plan.params,
            limits=self._limits,
            tokenizer=self.shared.tokenizer,
            media=self.shared.chat.media,
            num_sequences=plan.num_sequences,
            is_stream=plan.is_stream,
        )
        first = self.shared.workers.tokenize(len(plan.params.inputs), prepare, NOTHING_READ)
        return await self.shared.media.complete(first, prepare)

    @override
    async def collect(
        self, active: ActiveRequest, plan: GeneratePlan, prepared: PreparedGenerate
    ) -> GeneratedRequest:
        return await collect_sequences(active.run(prepared.request), plan.num_sequences)

    @override
    def num_tokens(self, result: GeneratedRequest) -> int:
        return result.num_tokens

    @override
    def tokens(self, active: ActiveRequest, prepared: PreparedGenerate) -> AsyncGenerator[TokenEvent, None]:
        return active.run(prepared.request)

    @override
    def headers(self, plan: GeneratePlan, prepared: PreparedGenerate) -> Headers:
        return compute_headers(self._compute_type, plan.params.inputs)

    @override
    def costs(self, timing: Timing) -> Headers:
        return cost_headers(timing)
