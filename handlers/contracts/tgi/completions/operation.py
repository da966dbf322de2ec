"""The operation `/v1/completions`: prompts that are continued, whole or in pieces."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Generic, TypeVar, final

from pydantic import BaseModel

from engine.port.request import GenerationRequest
from generated.tgi import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.merge import merge
from handlers.contracts.tgi.completions.request import CompletionParams, check_params, completion_requests
from handlers.contracts.tgi.completions.response import CompletionEvents, completion
from handlers.contracts.tgi.headers import AnswerHeaders
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.operations.sequences import GeneratedRequest, collect_merged
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import ToProblem
from verbatim_kit.runtime.operation import Call, EncodedEvent

AnswerT = TypeVar("AnswerT")
ChunkT = TypeVar("ChunkT", bound=BaseModel)


@final
class Completions(Generic[AnswerT, ChunkT]):
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
        self._shared = shared
        self._to_problem = to_problem
        self._limits = limits
        self._headers = headers
        self._answer = answer
        self._chunk = chunk

    async def whole(self, params: CompletionParams, call: Call[Any]) -> AnswerT:
        """Answer in one piece."""
        async with self._begin(params, call) as (active, requests):
            tokens = merge([active.run(request) for request in requests])
            generated = await collect_merged(tokens, len(requests))
            num_tokens = sum(one.num_tokens for one in generated)
            answer = await self._shared.workers.write(num_tokens, self._respond, generated)
        call.respond_with(self._headers.costs(active.timing))
        return answer

    async def stream(
        self, params: CompletionParams, call: Call[Any]
    ) -> AsyncGenerator[ChunkT | EncodedEvent, None]:
        """Answer token by token."""
        async with self._begin(params, call) as (active, requests):
            events = CompletionEvents(self._shared.envelope("cmpl"), self._chunk)
            async with aclosing(merge([active.run(request) for request in requests])) as tokens:
                async for prompt, token in tokens:
                    yield events.encode(prompt, token)

    @asynccontextmanager
    async def _begin(
        self, params: CompletionParams, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, Sequence[GenerationRequest]]]:
        """Check and prepare a request, which is active in the block; it has one of the engine's a prompt."""
        shared = self._shared
        with shared.active_requests.open(call.received_s, self._to_problem) as active:
            check_params(params, self._limits, can_infill=shared.infill is not None)
            with active.permits("prompt", len(params.prompts)):
                requests = await shared.workers.tokenize(
                    params.num_characters,
                    completion_requests,
                    params,
                    self._limits,
                    shared.tokenizer,
                    shared.infill,
                )
                call.respond_with(self._headers.of_every_answer(*params.prompts))
                yield active, requests

    def _respond(self, generated: Sequence[GeneratedRequest]) -> AnswerT:
        return self._answer(completion(self._shared.envelope("cmpl"), generated))
