"""The operations that generate."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final, NamedTuple, TypeAlias

from engine.port.request import GenerationRequest
from generated.triton import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.limit import Beams, HeldPermits
from handlers.contracts.triton.errors import to_problem
from handlers.contracts.triton.generate.members import Members, members_of, request_id
from handlers.contracts.triton.generate.request import Wanted, generation_request, wanted_by
from handlers.contracts.triton.generate.response import Envelope, Responses
from handlers.contracts.triton.models import VERSION
from handlers.operations.sequences import collect_sequences
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.operation import Call, EncodedEvent

_ONE_RESPONSE: Final = (
    "generate expects model to produce exactly 1 response, use generate stream for model that generates "
    "various number of responses"
)
_NUM_SEQUENCES: Final = ("num_return_sequences", "n", "beam_width")


_Event: TypeAlias = m.GenerateResponse | EncodedEvent


class ModelRequest(NamedTuple):
    """A request. model: as the path has it."""

    model: str
    body: m.GenerateRequest


class Generate:
    """Goes on from texts. A stream has an event for each token if `stream` says so, else one event."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared

    async def whole(self, request: ModelRequest, call: Call[Any]) -> m.GenerateResponse:
        """Answer in one piece."""
        async with self._begin(request, call, is_stream=False) as (active, prepared, responses, _):
            generated = await collect_sequences(active.run(prepared), prepared.num_sequences)
            return await self._shared.workers.write(generated.num_tokens, responses.whole, generated)

    async def stream(self, request: ModelRequest, call: Call[Any]) -> AsyncGenerator[_Event, None]:
        """Answer with an event a token, or with one event."""
        async with self._begin(request, call, is_stream=True) as (active, prepared, responses, streams):
            if streams:
                async with aclosing(active.run(prepared)) as tokens:
                    async for token in tokens:
                        yield responses.event(token)
            else:
                yield responses.whole(await collect_sequences(active.run(prepared), prepared.num_sequences))

    @asynccontextmanager
    async def _begin(
        self, request: ModelRequest, call: Call[Any], *, is_stream: bool
    ) -> AsyncIterator[tuple[ActiveRequest, GenerationRequest, Responses, bool]]:
        """Check and prepare a request, which is active in the block."""
        shared = self._shared
        with shared.active_requests.open(call.received_s, to_problem) as active:
            members = members_of(request.body, request.model)
            if not is_stream and members.get("stream"):
                raise Refused(_ONE_RESPONSE, "stream")
            wanted = wanted_by(members)
            if wanted.response_format is not None and shared.settings.disable_grammar_support:
                raise Refused("This server takes no grammars: what the text must be cannot be said")
            with _permits(active, members, wanted):
                adapter = shared.model_names.resolve(request.model, "model_name").adapter
                prepared = await shared.workers.tokenize(
                    len(wanted.text),
                    generation_request,
                    wanted,
                    shared.tokenizer,
                    shared.model_info.max_total_tokens,
                    adapter,
                )
                yield active, prepared, _responses(request, members, wanted), wanted.streams


def _responses(request: ModelRequest, members: Members, wanted: Wanted) -> Responses:
    """Return a writer of responses. Call it within permits, since a request may ask for billions of texts."""
    return Responses(
        Envelope(request_id(request.body), request.model, VERSION),
        members,
        wanted.num_sequences,
        prefix=wanted.prefix,
        has_candidates=isinstance(wanted.options.logprobs, int),
    )


def _permits(active: ActiveRequest, members: Members, wanted: Wanted) -> HeldPermits:
    """Return permits for the texts of the answer or, in a search, for its beams."""
    beams = None if wanted.beams is None else Beams("beam_width", wanted.beams.num_beams)
    num_sequences = max(wanted.num_sequences, beams.num_beams if beams else 1)
    return active.permits(_asks_for_several(members), num_sequences, beams)


def _asks_for_several(members: Members) -> str:
    """The member that says how many sequences there are."""
    return next((name for name in _NUM_SEQUENCES if name in members), "n")
