"""The operations that generate."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from engine.request import GenerationRequest
from generated.operation import Call, EncodedEvent
from generated.triton import models as m
from generated.triton.operations import NoHeaders
from handlers.concurrency.limit import Beams, HeldPermits
from handlers.faults.refused import Refused
from handlers.service.exchange import Exchange
from handlers.service.sequences import GeneratedRequest, collect
from handlers.triton.members import Members, members_of, request_id
from handlers.triton.models import VERSION
from handlers.triton.request import Asked, asked, generation_request
from handlers.triton.response import Envelope, Responses
from handlers.triton.service import Service

_ONE_RESPONSE: Final = (
    "generate expects model to produce exactly 1 response, use generate stream for model that generates "
    "various number of responses"
)
_NUM_SEQUENCES: Final = ("num_return_sequences", "n", "beam_width")


class Generate:
    """Goes on from texts."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def whole(self, model: str, body: m.GenerateRequest, call: Call[NoHeaders]) -> m.GenerateResponse:
        """model: as the path has it."""
        with self._service.exchange(call.received_s) as exchange:
            members = members_of(body, model)
            if members.get("stream"):
                raise Refused(_ONE_RESPONSE, "stream")
            wanted = self._asked(members)
            with _permits(exchange, members, wanted):
                return await self._whole(exchange, wanted, self._responses(model, body, members, wanted))

    async def stream(
        self, model: str, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> AsyncGenerator[m.GenerateResponse | EncodedEvent, None]:
        """An event a token if `stream` says so, else one event. model: as the path has it."""
        with self._service.exchange(call.received_s) as exchange:
            members = members_of(body, model)
            wanted = self._asked(members)
            # Before there is a permit for each, a request may ask for billions.
            with _permits(exchange, members, wanted):
                responses = self._responses(model, body, members, wanted)
                if not wanted.streams:
                    yield await self._whole(exchange, wanted, responses)
                    return
                request = await self._read(wanted)
                async with aclosing(exchange.run(request)) as tokens:
                    async for token in tokens:
                        yield responses.event(token)

    def _asked(self, members: Members) -> Asked:
        wanted = asked(members)
        if wanted.form is not None and self._service.settings.disable_grammar_support:
            raise Refused("This server takes no grammars: what the text must be cannot be said")
        return wanted

    async def _whole(self, exchange: Exchange, wanted: Asked, responses: Responses) -> m.GenerateResponse:
        request = await self._read(wanted)
        generated: GeneratedRequest = await collect(exchange.run(request), request.num_sequences)
        return responses.whole(generated)

    async def _read(self, wanted: Asked) -> GenerationRequest:
        service = self._service
        return await service.workers.tokenize(
            len(wanted.text), generation_request, wanted, service.tokenizer, service.max_total_tokens
        )

    def _responses(self, model: str, body: m.GenerateRequest, members: Members, wanted: Asked) -> Responses:
        envelope = Envelope(request_id(body), model, VERSION)
        return Responses(
            envelope,
            members,
            wanted.num_sequences,
            prefix=wanted.prefix,
            has_candidates=isinstance(wanted.options.logprobs, int),
        )


def _permits(exchange: Exchange, members: Members, wanted: Asked) -> HeldPermits:
    """For the texts that are told or, in a search, for its beams."""
    beams = None if wanted.beams is None else Beams("beam_width", wanted.beams.num_beams)
    num_sequences = max(wanted.num_sequences, beams.num_beams if beams else 1)
    return exchange.permits(_asks_for_several(members), num_sequences, beams)


def _asks_for_several(members: Members) -> str:
    """The member that says how many sequences there are."""
    return next((name for name in _NUM_SEQUENCES if name in members), "n")
