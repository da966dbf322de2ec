"""The operation that generates."""

from collections.abc import Iterable, Sequence
from secrets import token_hex
from typing import NamedTuple

from typing_extensions import override

from engine.port.errors import InvalidRequest
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, Prompt
from generated.tokens import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.media import PartContents
from handlers.chat.messages import MediaPart
from handlers.concurrency.limit import HeldPermits
from handlers.errors import Refused
from handlers.operations.operation import StreamWriter
from handlers.operations.sequences import GeneratedRequest
from handlers.operations.sequences_operation import SequencesOperation
from handlers.served_model.served_model import ServedModel
from handlers.tokens.errors import to_problem
from handlers.tokens.request import PARAMS, check_request, file_parts, generation_request
from handlers.tokens.response import Event, Responses
from handlers.wire.missing import given


class _Planned(NamedTuple):
    body: m.GenerateRequest
    request_id: str
    adapter: str | None


class Generate(SequencesOperation[m.GenerateRequest, _Planned, m.GenerateResponse, Event]):
    """Continues token ids."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared, to_problem)

    @override
    def plan(self, body: m.GenerateRequest, *, is_stream: bool) -> _Planned:
        names = self.shared.model_names
        adapter = None if body.model is None else names.resolve(body.model).adapter
        takes_forms = not self.shared.settings.disable_grammar_support
        check_request(body, self.shared.model_info.vocab_size, takes_forms=takes_forms)
        return _Planned(body, given(body.request_id) or token_hex(16), adapter)

    @override
    def permits(self, active: ActiveRequest, plan: _Planned) -> HeldPermits:
        return active.permits(f"{PARAMS}.n", plan.body.sampling_params.n)

    @override
    async def prepare(self, plan: _Planned) -> GenerationRequest:
        body = plan.body
        if parts := file_parts(body):
            prompt = await self.shared.media.prepare(self._prompt, body, parts)
        else:
            prompt = Prompt(tuple(body.token_ids))
        return generation_request(body, prompt, self.shared.model_info.max_total_tokens, plan.adapter)

    def _prompt(self, body: m.GenerateRequest, contents: PartContents, parts: Sequence[MediaPart]) -> Prompt:
        """Return the prompt with its files. Raises MediaWanted until they are read, and as `prepare` does."""
        media = self.shared.chat.media
        media.check(parts, contents)
        try:
            return media.expand(tuple(body.token_ids), parts, parts, contents)
        except InvalidRequest as error:  # as many files as placeholders are wanted
            raise Refused(str(error), "content_parts") from error

    @override
    def answer(
        self, plan: _Planned, prepared: GenerationRequest, result: GeneratedRequest
    ) -> m.GenerateResponse:
        return self._responses(plan, prepared).whole(result)

    @override
    def writer(self, plan: _Planned, prepared: GenerationRequest) -> "_Writer":
        return _Writer(self._responses(plan, prepared))

    def _responses(self, plan: _Planned, prepared: GenerationRequest) -> Responses:
        return Responses(plan.request_id, plan.body, prepared.prompt, self.shared.tokenizer)


class _Writer(StreamWriter[Event]):
    """Writes an event a token, and the token counts if the client asked for them."""

    def __init__(self, responses: Responses) -> None:
        self._responses = responses

    @override
    def feed(self, token: TokenEvent) -> Iterable[Event]:
        return (self._responses.event(token),)

    @override
    def end(self) -> Iterable[Event]:
        return self._responses.end()
