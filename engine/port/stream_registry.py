"""The registry of an engine's running requests and their streams, used by every engine."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from engine.port.errors import EngineError, EngineStopped, InvalidRequest, ReaderTooSlow, RequestAborted
from engine.port.events import Embedding, TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.port.request_stream import RequestStream, UnreadBound

Request = TypeVar("Request", GenerationRequest, EmbeddingRequest)

# Delivered events between two checks of the bound on unread events.
_UNREAD_LOOK_EVENTS: Final = 256


class StreamRegistry:
    """The running requests, each with an arrival number and a stream.

    A request id may be reused after its request has ended; an arrival number is never reused. All methods
    must be called in one event loop.
    """

    def __init__(self, max_unread_bytes: int, abort: Callable[[int], object]) -> None:
        """Create an empty registry. Requires a running event loop.

        max_unread_bytes: approximate maximum memory of one request's unread events. abort: called with the
        arrival number of a request that the registry ends, before its error is added, so that the engine
        stops computing it.
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
        """Return the arrival number and the stream of a new request, which must be closed.

        check: called with the request before it is added; its exceptions are raised.
        on_end: as in RequestStream.
        Raises EngineStopped while draining, and InvalidRequest if the id is in use.
        """
        if self._is_draining:
            raise EngineStopped("the engine does not accept new requests")
        if request.request_id in self._arrivals:
            raise InvalidRequest(f"a request with the id {request.request_id} is already running")
        check(request)
        arrival = self._arrivals[request.request_id] = self._num_arrivals
        self._num_arrivals += 1
        stream = self._streams[arrival] = RequestStream(request, on_end)
        self._has_no_streams.clear()
        return arrival, stream

    def close(self, request_id: str) -> None:
        """Remove a request whose events have been read or are no longer needed."""
        del self._streams[self._arrivals.pop(request_id)]
        if not self._streams:
            self._has_no_streams.set()

    def deliver(self, outputs: Sequence[tuple[int, TokenEvent | Embedding | EngineError]]) -> None:
        """Add events to the streams of their arrival numbers, and end requests with too many unread events.

        Events for closed requests are discarded.
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
        """End every request with a new error."""
        for arrival in self._streams:
            self._end(arrival, new_error())

    async def drain(self, timeout_s: float) -> bool:
        """Refuse new requests and wait for running ones, which end with EngineStopped after `timeout_s`.

        Returns whether all requests were closed in time.
        """
        self._is_draining = True
        try:
            async with asyncio.timeout(timeout_s):
                await self._has_no_streams.wait()
        except TimeoutError:
            self.end_all(lambda: EngineStopped("the engine is stopping"))
            return False
        return True

    def _end_unread(self) -> None:
        """End the requests with more unread events than the bound, and discard the events."""
        for arrival in self._unread_bound.exceeded(self._streams):
            self._streams[arrival].clear()
            self._end(arrival, ReaderTooSlow("the client reads the answer more slowly than it is generated"))

    def _end(self, arrival: int, error: EngineError) -> None:
        self._abort(arrival)  # immediately, since the reader may be slow
        self._streams[arrival].put(error)
