"""Responses that are made in the background.

They are in the store from their beginning on, so that every process that shares it can tell how far they are,
and can cancel them; the process that makes them looks there again and again whether it still should.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from generated.openai import models as m
from handlers.access.visits.visit import current_key_name
from handlers.concurrency.workers import Workers
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.responses.answer.events import ResponseEvent
from handlers.contracts.openai.responses.request.memory import Recalled, RequestRecord, is_response, not_found
from handlers.store.record import Change, Record, StoreError
from handlers.store.store import Store
from verbatim_kit.errors import Refused, Violation, mapped_errors
from verbatim_kit.runtime.operation import EncodedEvent

_PERIOD_S: Final = 0.2  # after which new events are stored, and looked for
_SIGN_S: Final = 1.0  # after which the store is told that a response is still being made
_LOST_AFTER_S: Final = 10.0  # after the last such sign, the process that makes it is taken to have ended
_PAGE: Final = 256  # events that are read at once
_NO_STREAM: Final = "Only a response that was asked for with 'background' and 'stream' can be streamed again."
_LOST: Final = "The answer was not finished: the server that made it has ended."


class Run:
    """A response that this process makes. Its methods are used by the task that makes it."""

    def __init__(self, store: Store, request: RequestRecord, owner: str, id: str, *, streams: bool) -> None:
        """streams: whether its events are stored."""
        self._store = store
        self._request = request
        self._owner = owner
        self._id = id
        self._streams = streams
        self._events: list[bytes] = []
        self._is_over = asyncio.Event()
        self.is_in_progress = False
        self.is_unwanted = False
        """Whether the response was cancelled or deleted, or was given up as lost."""

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Store the events that are noted in the block, whose task is cancelled once nobody wants them."""
        task = asyncio.current_task()
        assert task is not None
        keeping = asyncio.create_task(self._keep(task))
        try:
            yield
        finally:
            self._is_over.set()
            await keeping

    def note(self, event: ResponseEvent) -> None:
        """Have an event stored, if the response can be streamed again."""
        if self._streams:
            self._events.append(_encoded(event))

    async def proceed(self, response: m.Response) -> None:
        """Store that the response is in progress now."""
        self.is_in_progress = True
        await self._change(response, finishes=False)

    async def end(self, response: m.Response, event: ResponseEvent) -> None:
        """Store the response as it ended, and its last event."""
        self.note(event)
        await self._change(response, finishes=True)

    async def _change(self, response: m.Response, *, finishes: bool) -> None:
        events, self._events = self._events, []

        def make(_: Record, __: int) -> Change:
            record = self._request.of(response)
            parts = tuple(item.id for item in response.output)
            return Change(record.content, parts, tuple(events), record.extends)

        await self._store.change(self._id, self._owner, make, finishes=finishes)

    async def _keep(self, task: asyncio.Task[object]) -> None:
        clock = asyncio.get_running_loop().time
        told_s = clock()
        while not self._is_over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), _PERIOD_S)
            if not self._events and clock() < told_s + _SIGN_S:
                continue
            events, self._events = self._events, []
            try:
                is_wanted = await self._store.note(self._id, self._owner, events)
            except StoreError:  # until it is given up as lost, the next try may succeed
                self._events = events + self._events
                continue
            told_s = clock()
            if not is_wanted:
                self.is_unwanted = True
                task.cancel()
                return


class Background:
    """The responses of each key, as far as they have come. Methods raise StoreError where the store fails."""

    def __init__(self, store: Store | None, workers: Workers) -> None:
        """Keep responses. store: None for a server that stores nothing."""
        self._store = store
        self._workers = workers

    async def begin(self, request: Recalled, response: m.Response, events: Iterable[ResponseEvent]) -> Run:
        """Store a response before its beginning, and the first events of its stream.

        Raises Refused where nothing is stored.
        """
        if self._store is None:
            reason = "No response is stored here, so none can be fetched later: 'background' must be false."
            raise Refused(reason, "background", Violation.UNSUPPORTED_VALUE)
        owner, streams = current_key_name(), request.body.stream is True
        record = RequestRecord(request, owner)
        first = [_encoded(event) for event in events] if streams else ()
        await self._store.begin(partial(record.of, response), first)
        return Run(self._store, record, owner, response.id, streams=streams)

    async def get(self, id: str) -> m.Response:
        """Return a stored response. Raises a Problem if there is none."""
        _, record = await self._found(id)
        return await self._parsed(record)

    async def cancel(self, id: str) -> m.Response:
        """Stop a response if it has not ended, and return it.

        Raises a Problem if there is none, and Refused for one that is not made in the background.
        """
        store, record = await self._found(id)
        response = await self._parsed(record)
        if not response.background:
            raise Refused("Only a response that is made in the background can be cancelled.", "response_id")
        if await store.change(id, record.owner, partial(_stopped, status="cancelled"), finishes=True):
            return await self.get(id)
        return response

    async def events(self, id: str, last: int = -1) -> AsyncGenerator[ResponseEvent, None]:
        """Yield the events of a response after the last that is known, those to come too, until its end.

        Raises the contract's problem if there is no such response, or if it has no events.
        """
        with mapped_errors(partial(to_problem, prompt_field="")):
            store, record = await self._found(id)
            if not await store.entries(id, record.owner, -1, 1):
                raise Refused(_NO_STREAM, "stream", Violation.UNSUPPORTED_VALUE)
            while True:
                is_over = not await self._is_unfinished(store, id, record.owner)
                # Read after that, so that they are all there are.
                while page := await store.entries(id, record.owner, last, _PAGE):
                    for entry in page:
                        yield EncodedEvent(entry.content)
                    last = page[-1].number
                if is_over:
                    return
                await asyncio.sleep(_PERIOD_S)

    async def _found(self, id: str) -> tuple[Store, Record]:
        """Return a stored response. Raises a Problem if there is none."""
        owner = current_key_name()
        if self._store is not None and is_response(id):
            await self._is_unfinished(self._store, id, owner)
            if (record := await self._store.get(id, owner)) is not None:
                return self._store, record
        raise not_found(id)

    async def _is_unfinished(self, store: Store, id: str, owner: str) -> bool:
        """Return whether a response is still being made; it fails if nobody makes it any more."""
        idle_s = await store.idle_s(id)
        if idle_s is None or idle_s < _LOST_AFTER_S:
            return idle_s is not None
        await store.change(id, owner, partial(_stopped, status="failed", reason=_LOST), finishes=True)
        return False

    async def _parsed(self, record: Record) -> m.Response:
        return await self._workers.tokenize(len(record.content), _response, record)


def _response(record: Record) -> m.Response:
    return m.Response.model_validate(from_json(record.content)["response"])


def _stopped(record: Record, number: int, status: str, reason: str | None = None) -> Change:
    """Return the record of a response that ends before its time. number: of its next event, if it has any."""
    content = from_json(record.content)
    error = None if reason is None else {"code": "server_error", "message": reason}
    response = {**content["response"], "status": status, "error": error}
    last = {"type": "response.failed", "sequence_number": number, "response": response}
    return Change(to_json({**content, "response": response}), entries=(to_json(last),) if number else ())


def _encoded(event: ResponseEvent) -> bytes:
    return event.model_dump_json(by_alias=True).encode() if isinstance(event, BaseModel) else event
