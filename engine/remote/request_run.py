"""The run of one request, each of whose sequences a server computes; no torch."""

import asyncio
from collections.abc import Callable, Iterator
from random import uniform
from typing import Final

from engine.port.errors import EngineBusy
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from engine.remote.answer import put_events
from engine.remote.fleet.choice import run_on_one
from engine.remote.fleet.server import Server
from engine.remote.sequence_events import CachedTokens
from engine.remote.served_model import ServedModel

# Between two tries of a sequence that waits for room, growing.
_ROOM_PAUSE_S: Final = 0.02
_MAX_ROOM_PAUSE_S: Final = 0.5


class RequestRun:
    """The sequences of one request, which may run at several servers, and what they share."""

    def __init__(
        self,
        model: ServedModel,
        request: GenerationRequest,
        put: Callable[[TokenEvent], object],
        *,
        patience_s: float,
    ) -> None:
        """Ask no server yet.

        put: takes the events of all sequences. patience_s: seconds for which a sequence waits for room if
        part of the answer that it belongs to is out.
        """
        self._model = model
        self._request = request
        self._put = put
        self._patience_s = patience_s
        self._num_tokens = len(request.prompt.token_ids) + request.stopping.max_tokens
        self._cached = CachedTokens()
        self._has_begun = request.waits_for_room

    async def sequences(self, indexes: Iterator[int]) -> None:
        """Run the sequences of these indexes, one after another; others may run at the same time.

        Raises EngineError where a sequence fails.
        """
        for index in indexes:
            await self._when_there_is_room(index)

    async def _when_there_is_room(self, index: int) -> None:
        """Run one sequence, and run it again where no server has room and part of the answer is out already.

        Before that EngineBusy is raised, which the client may heed. Afterwards other clients' requests, of
        which this engine knows nothing, would end this one in its middle.
        """
        loop = asyncio.get_running_loop()
        ends_at, pause_s = loop.time() + self._patience_s, _ROOM_PAUSE_S
        while True:
            try:
                return await self._sequence(index)
            except EngineBusy:
                if not self._has_begun or loop.time() + pause_s > ends_at:
                    raise
                await asyncio.sleep(uniform(pause_s / 2, pause_s))
                pause_s = min(2 * pause_s, _MAX_ROOM_PAUSE_S)

    async def _sequence(self, index: int) -> None:
        """Run one sequence; at another server, where one fails before the first token."""
        model, request, put = self._model, self._request, self._put
        body = model.body(request, index)

        def note_and_put(event: TokenEvent) -> None:
            self._has_begun = True
            put(event)

        async def run(server: Server) -> None:
            await put_events(
                server.upstream,
                model.api,
                body,
                request,
                index,
                model.tokenizer,
                put=note_and_put,
                num_running=lambda: model.num_running,
                cached=self._cached,
            )

        with model.counted():
            await run_on_one(model.servers, self._num_tokens, request.adapter, run)
