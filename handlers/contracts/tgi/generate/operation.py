"""The generate operations: text in, text out, whole or token by token."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any, Generic, TypeVar, final

from generated.tgi import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.media import NOTHING_READ
from handlers.contracts.tgi.generate.events import GenerateEvents, WriteToken
from handlers.contracts.tgi.generate.params import GenerateParams
from handlers.contracts.tgi.generate.prepared_generate import PreparedGenerate, prepared_generate
from handlers.contracts.tgi.generate.response import generate_response
from handlers.contracts.tgi.headers import AnswerHeaders
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.operations.sequences import GeneratedRequest, collect_sequences
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, ToProblem
from verbatim_kit.runtime.operation import Call, EncodedEvent

AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


@final
class Generate(Generic[AnswerT, EventT]):
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
        self._shared = shared
        self._to_problem = to_problem
        self._limits = limits
        self._headers = headers
        self._answer = answer
        self._event = event
        self._write_token = write_token

    async def whole(self, params: GenerateParams, call: Call[Any]) -> AnswerT:
        """Answer in one piece."""
        async with self._begin(params, call, is_stream=False) as (active, prepared):
            generated = await collect_sequences(active.run(prepared.request), prepared.request.num_sequences)
            answer = await self._shared.workers.write(
                generated.num_tokens, self._respond, prepared, generated
            )
        call.respond_with(self._headers.costs(active.timing))
        return answer

    async def stream(
        self, params: GenerateParams, call: Call[Any]
    ) -> AsyncGenerator[EventT | EncodedEvent, None]:
        """Answer token by token."""
        async with self._begin(params, call, is_stream=True) as (active, prepared):
            events = GenerateEvents(prepared, self._event, self._write_token)
            async with aclosing(active.run(prepared.request)) as tokens:
                async for token in tokens:
                    yield events.encode(token)

    @asynccontextmanager
    async def _begin(
        self, params: GenerateParams, call: Call[Any], *, is_stream: bool
    ) -> AsyncIterator[tuple[ActiveRequest, PreparedGenerate]]:
        """Check and prepare a request, which is active in the block."""
        shared = self._shared
        with shared.active_requests.open(call.received_s, self._to_problem) as active:
            num_sequences = _num_streamed(params) if is_stream else _num_sequences(params, self._limits)
            with active.permits("best_of", num_sequences):
                prepare = partial(
                    prepared_generate,
                    params,
                    limits=self._limits,
                    tokenizer=shared.tokenizer,
                    media=shared.chat.media,
                    num_sequences=num_sequences,
                    is_stream=is_stream,
                )
                first = shared.workers.tokenize(len(params.inputs), prepare, NOTHING_READ)
                prepared = await shared.media.complete(first, prepare)
                call.respond_with(self._headers.of_every_answer(params.inputs))
                yield active, prepared

    def _respond(self, prepared: PreparedGenerate, generated: GeneratedRequest) -> AnswerT:
        return self._answer(generate_response(prepared, generated))


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
