"""The operation `/v1/completions`: prompts that are continued, whole or in pieces."""

from collections.abc import Callable, Sequence
from typing import TypeVar, final

from pydantic import BaseModel
from typing_extensions import override

from engine.port.request import GenerationRequest
from generated.operation import EncodedEvent
from generated.tgi import models as m
from handlers.access.visits.timing import Timing
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.limit import HeldPermits
from handlers.errors import ToProblem
from handlers.operations.merged_operation import MergedOperation
from handlers.operations.operation import TokenWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.served_model.served_model import ServedModel
from handlers.tgi.completions.request import CompletionParams, check_params, completion_requests
from handlers.tgi.completions.response import CompletionEvents, completion
from handlers.tgi.headers import AnswerHeaders, Headers
from handlers.tgi.request_limits import RequestLimits

AnswerT = TypeVar("AnswerT")
ChunkT = TypeVar("ChunkT", bound=BaseModel)


@final
class Completions(MergedOperation[CompletionParams, CompletionParams, AnswerT, ChunkT | EncodedEvent]):
    """Continues prompts, and answers in the form of a contract."""

    def __init__(
        self,
        shared: ServedModel,
        to_problem: ToProblem,
        limits: RequestLimits,
        headers: AnswerHeaders,
        *,
        answer: Callable[[m.CompletionFinal], AnswerT],
        chunk: Callable[[m.Chunk], ChunkT],
    ) -> None:
        """Create the operation. answer, chunk: give an answer, or a chunk, the contract's form."""
        super().__init__(shared, to_problem)
        self._limits = limits
        self._headers = headers
        self._answer = answer
        self._chunk = chunk

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
    def answer(
        self,
        plan: CompletionParams,
        prepared: Sequence[GenerationRequest],
        result: Sequence[GeneratedRequest],
    ) -> AnswerT:
        return self._answer(completion(self.shared.envelope("cmpl"), result))

    @override
    def writer(
        self, plan: CompletionParams, prepared: Sequence[GenerationRequest]
    ) -> TokenWriter[ChunkT | EncodedEvent]:
        events = CompletionEvents(self.shared.envelope("cmpl"), self._chunk)
        return TokenWriter(lambda token: events.encode(*token))

    @override
    def headers(self, plan: CompletionParams, prepared: Sequence[GenerationRequest]) -> Headers:
        return self._headers.of_every_answer(*plan.prompts)

    @override
    def costs(self, timing: Timing) -> Headers:
        return self._headers.costs(timing)
