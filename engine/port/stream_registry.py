"""The streams of an engine's requests, from admission to the last event; every engine keeps its own here."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from engine.port.errors import EngineError, EngineStopped, InvalidRequest, ReaderTooSlow, RequestAborted
from engine.port.events import Embedding, TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.port.request_stream import RequestStream, UnreadBound

Request = TypeVar("Request", GenerationRequest, EmbeddingRequest)

# Events between two looks at how many of them wait to be read.
_UNREAD_LOOK_EVENTS: Final = 256


class StreamRegistry:
    """The requests that run, each with an arrival number and a stream.

    Ids may come again after their request has ended; arrivals do not. All methods belong to one event loop.
    """

    def __init__(self, max_unread_bytes: int, abort: Callable[[int], object]) -> None:
        """Make an empty registry. Requires a running event loop.

        max_unread_bytes: the approximate memory that the unread events of one request may take.
        abort: a function that is called with the arrival of a request that is ended from here, before its
            error is put, so that the engine computes no more for it.
        """
        self._abort = abort
        self._streams: dict[int, RequestStream] = {}  # by arrival
        self._arrivals: dict[str, int] = {}  # by request id
        self._num_arrivals = 0
        self._unread_bound = UnreadBound(max_unread_bytes)
        self._num_delivered = 0  # since the bound was last checked
        self._has_no_streams = asyncio.Event()
        self._has_no_streams.set()
        self._is_draining = False

    def __len__(self) -> int:
        return len(self._streams)

    @property
    def is_draining(self) -> bool:
        return self._is_draining

    def open(
        self,
        request: Request,
        check: Callable[[Request], object],
        on_end: Callable[[int], object] | None = None,
    ) -> tuple[int, RequestStream]:
        """Return the arrival and the stream of a new request, which must be closed.

        check: a function that is called with the request before it is taken; its errors are raised.
        on_end: a function that is called as sequences end, as in RequestStream.
        Raises EngineStopped while draining, and InvalidRequest if a request with this id is running.
        """
        if self._is_draining:
            raise EngineStopped("the engine takes no new requests")
        if request.request_id in self._arrivals:
            raise InvalidRequest(f"a request {request.request_id} is running already")
        check(request)
        arrival = self._arrivals[request.request_id] = self._num_arrivals
        self._num_arrivals += 1
        stream = self._streams[arrival] = RequestStream(request, on_end)
        self._has_no_streams.clear()
        return arrival, stream

    def close(self, request_id: str) -> None:
        """Forget a request whose events are read, or wanted no longer."""
        del self._streams[self._arrivals.pop(request_id)]
        if not self._streams:
            self._has_no_streams.set()

    def deliver(self, outputs: Sequence[tuple[int, TokenEvent | Embedding | EngineError]]) -> None:
        """Put events, each for an arrival, and end the requests with too many unread ones.

        Events for requests that are closed are dropped.
        """
        for arrival, event in outputs:
            if (stream := self._streams.get(arrival)) is not None:
                stream.put(event)
        self._num_delivered += len(outputs)
        if self._num_delivered >= _UNREAD_LOOK_EVENTS:
            self._num_delivered = 0
            self._end_unread()

    def abort(self, request_id: str) -> None:
        """End a request with RequestAborted. Unknown and closed ids are ignored."""
        if (arrival := self._arrivals.get(request_id)) is not None:
            self._end(arrival, RequestAborted(f"request {request_id} was aborted"))

    def end_all(self, new_error: Callable[[], EngineError]) -> None:
        """End every request, each with an error of its own."""
        for arrival in self._streams:
            self._end(arrival, new_error())

    async def drain(self, timeout_s: float) -> bool:
        """Refuse new requests, and wait for running ones; after `timeout_s` they end with EngineStopped.

        Return whether all had been closed in time.
        """
        self._is_draining = True
        try:
            async with asyncio.timeout(timeout_s):
                await self._has_no_streams.wait()
        except TimeoutError:
            self.end_all(lambda: EngineStopped("the engine stops"))
            return False
        return True

    def _end_unread(self) -> None:
        """End the requests with more unread events than the bound, and drop these events."""
        for arrival in self._unread_bound.exceeded(self._streams):
            self._streams[arrival].clear()
            self._end(arrival, ReaderTooSlow("the answer is read more slowly than it comes"))

    def _end(self, arrival: int, error: EngineError) -> None:
        self._abort(arrival)  # now, since the reader may be slow
        self._streams[arrival].put(error)
