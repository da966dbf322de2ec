"""The operations that generate."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from typing_extensions import override

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from generated.operation import EncodedEvent
from generated.triton import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.limit import Beams, HeldPermits
from handlers.errors import Refused
from handlers.operations.operation import StreamWriter, TokenWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.operations.sequences_operation import SequencesOperation
from handlers.served_model.served_model import ServedModel
from handlers.triton.errors import to_problem
from handlers.triton.generate.members import Members, members_of, request_id
from handlers.triton.generate.request import Wanted, generation_request, wanted_by
from handlers.triton.generate.response import Envelope, Responses
from handlers.triton.models import VERSION

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


class _Planned(NamedTuple):
    request: ModelRequest
    members: Members
    wanted: Wanted


class Generate(SequencesOperation[ModelRequest, _Planned, m.GenerateResponse, _Event]):
    """Goes on from texts. A stream has an event for each token if `stream` says so, else one event."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared, to_problem)

    @override
    def plan(self, request: ModelRequest, *, is_stream: bool) -> _Planned:
        members = members_of(request.body, request.model)
        if not is_stream and members.get("stream"):
            raise Refused(_ONE_RESPONSE, "stream")
        wanted = wanted_by(members)
        if wanted.form is not None and self.shared.settings.disable_grammar_support:
            raise Refused("This server takes no grammars: what the text must be cannot be said")
        return _Planned(request, members, wanted)

    @override
    def permits(self, active: ActiveRequest, plan: _Planned) -> HeldPermits:
        return _permits(active, plan.members, plan.wanted)

    @override
    async def prepare(self, plan: _Planned) -> GenerationRequest:
        return await self.shared.workers.tokenize(
            len(plan.wanted.text),
            generation_request,
            plan.wanted,
            self.shared.tokenizer,
            self.shared.model_info.max_total_tokens,
            self.shared.model_names.resolve(plan.request.model, "model_name").adapter,
        )

    @override
    def answer(
        self, plan: _Planned, prepared: GenerationRequest, result: GeneratedRequest
    ) -> m.GenerateResponse:
        return _responses(plan).whole(result)

    @override
    def writer(self, plan: _Planned, prepared: GenerationRequest) -> StreamWriter[_Event]:
        responses = _responses(plan)
        if plan.wanted.streams:
            return TokenWriter(responses.event)
        return _OneEvent(responses, prepared.num_sequences)


class _OneEvent(StreamWriter[_Event]):
    """Writes the whole answer as the only event."""

    def __init__(self, responses: Responses, num_sequences: int) -> None:
        self._responses = responses
        self._generated = GeneratedRequest(num_sequences)

    @override
    def feed(self, token: TokenEvent) -> Iterable[_Event]:
        self._generated.add(token)
        return ()

    @override
    def end(self) -> Iterable[_Event]:
        return (self._responses.whole(self._generated),)


def _responses(plan: _Planned) -> Responses:
    """Return a writer of responses. Call it within permits, since a request may ask for billions of texts."""
    request, members, wanted = plan
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
