"""The generate operations: text in, text out, whole or token by token."""

from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import NamedTuple, TypeVar, final

from typing_extensions import override

from engine.port.events import TokenEvent
from generated.operation import EncodedEvent
from generated.tgi import models as m
from handlers.access.visits.timing import Timing
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.media import NOTHING_READ
from handlers.concurrency.limit import HeldPermits
from handlers.errors import Refused, ToProblem
from handlers.operations.operation import GeneratingOperation, TokenWriter
from handlers.operations.sequences import GeneratedRequest, collect_sequences
from handlers.served_model.served_model import ServedModel
from handlers.tgi.generate.events import GenerateEvents, WriteToken
from handlers.tgi.generate.params import GenerateParams
from handlers.tgi.generate.prepared_generate import PreparedGenerate, prepared_generate
from handlers.tgi.generate.response import generate_response
from handlers.tgi.headers import AnswerHeaders, Headers
from handlers.tgi.request_limits import RequestLimits

AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


class GeneratePlan(NamedTuple):
    """The plan of a request. num_sequences: the sequences to generate for the one that is answered."""

    params: GenerateParams
    num_sequences: int
    is_stream: bool


@final
class Generate(
    GeneratingOperation[
        GenerateParams, GeneratePlan, PreparedGenerate, GeneratedRequest, AnswerT, EventT | EncodedEvent
    ]
):
    """Answers requests of `/generate` in the form of a contract."""

    def __init__(
        self,
        shared: ServedModel,
        to_problem: ToProblem,
        limits: RequestLimits,
        headers: AnswerHeaders,
        *,
        answer: Callable[[m.GenerateResponse], AnswerT],
        event: Callable[[m.StreamResponse], EventT],
        write_token: WriteToken,
    ) -> None:
        """Create the operation. answer, event, write_token: give what is sent the contract's form."""
        super().__init__(shared, to_problem)
        self._limits = limits
        self._headers = headers
        self._answer = answer
        self._event = event
        self._write_token = write_token

    @override
    def plan(self, params: GenerateParams, *, is_stream: bool) -> GeneratePlan:
        num_sequences = _num_streamed(params) if is_stream else _num_sequences(params, self._limits)
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
    def answer(self, plan: GeneratePlan, prepared: PreparedGenerate, result: GeneratedRequest) -> AnswerT:
        return self._answer(generate_response(prepared, result))

    @override
    def tokens(self, active: ActiveRequest, prepared: PreparedGenerate) -> AsyncGenerator[TokenEvent, None]:
        return active.run(prepared.request)

    @override
    def writer(self, plan: GeneratePlan, prepared: PreparedGenerate) -> TokenWriter[EventT | EncodedEvent]:
        return TokenWriter(GenerateEvents(prepared, self._event, self._write_token).encode)

    @override
    def headers(self, plan: GeneratePlan, prepared: PreparedGenerate) -> Headers:
        return self._headers.of_every_answer(plan.params.inputs)

    @override
    def costs(self, timing: Timing) -> Headers:
        return self._headers.costs(timing)


def _num_sequences(params: GenerateParams, limits: RequestLimits) -> int:
    """Return the sequences to generate; a best_of of 0 counts as 1. Raise Refused for too many."""
    best_of = params.best_of or 1
    if best_of > limits.max_best_of:
        raise Refused(f"`best_of` must be > 0 and <= {limits.max_best_of}. Given: {best_of}")
    if best_of > 1 and not params.is_sampled:
        raise Refused("you must use sampling when `best_of` is > 1")
    return best_of


def _num_streamed(params: GenerateParams) -> int:
    """Return the sequences of a stream: one. Raise Refused for what a stream cannot carry."""
    if params.best_of not in (None, 0, 1):
        raise Refused("`best_of` != 1 is not supported when streaming tokens")
    if params.decoder_input_details:
        raise Refused("`decoder_input_details` == true is not supported when streaming tokens")
    return 1
