"""The queue of a request's events for its reader, and the bound on unread events."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from engine.port.errors import EngineError
from engine.port.events import Embedding, TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest

# Measured with tracemalloc, rounded up.
_EVENT_BYTES: Final = 500
_RANKED_TOKEN_BYTES: Final = 150

# The bound for all requests together, relative to the bound for one request.
_NUM_FULL: Final = 8


Item: TypeAlias = TokenEvent | Embedding | EngineError


class RequestStream:
    """A queue from the engine to one reader in one event loop.

    The queue is unbounded, but it estimates the bytes of unread events and counts the sequences that have
    ended. asyncio.Queue, which supports bounds and several readers, takes a third more time for each token.

    on_end: called in the event loop with the number of sequences that have just ended, as soon as their last
        events are added, even if unread.
    """

    def __init__(
        self,
        request: GenerationRequest | EmbeddingRequest,
        on_end: Callable[[int], object] | None = None,
    ) -> None:
        """Create an empty stream. Requires a running event loop."""
        self._loop = asyncio.get_running_loop()
        self._items: deque[Item] = deque()
        self._arrival: asyncio.Future[Item] | None = None  # the future that the reader awaits
        self._on_end = on_end
        self._num_running = 1
        self._event_bytes = _EVENT_BYTES
        self._prompt_bytes = 0  # of the prompt's logprobs, which are in the first event
        if isinstance(request, GenerationRequest):
            self._num_running = request.num_sequences
            self._event_bytes += _RANKED_TOKEN_BYTES * request.sampling.num_listed_logprobs
            sampling = request.sampling
            self._num_ranked = len(sampling.prompt_logprob_token_ids) or sampling.num_prompt_logprobs or 0

    @property
    def num_bytes(self) -> int:
        """The estimated memory of unread events, in bytes."""
        return len(self._items) * self._event_bytes + self._prompt_bytes

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Item) -> None:
        """Add an item, or pass it to a waiting reader."""
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(item)
        else:
            self._items.append(item)
        if isinstance(item, TokenEvent):
            if item.prompt is not None and self._items:
                self._prompt_bytes = len(item.prompt) * _RANKED_TOKEN_BYTES * (1 + self._num_ranked)
            if item.finish is not None:
                self._end(1)
        elif isinstance(item, EngineError):
            self._end(self._num_running)

    def arrival(self) -> asyncio.Future[Item]:
        """Return a future for the next item. The queue must be empty."""
        self._arrival = self._loop.create_future()
        return self._arrival

    def take(self) -> Item | None:
        """Remove and return the next item; None if the queue is empty."""
        if not self._items:
            return None
        self._prompt_bytes = 0
        return self._items.popleft()

    def clear(self) -> None:
        """Discard all unread items."""
        self._items.clear()

    def _end(self, num_sequences: int) -> None:
        self._num_running -= num_sequences
        if self._on_end is not None and num_sequences:
            self._on_end(num_sequences)


class UnreadBound:
    """The bound on unread bytes: `max_bytes` for one request, and eight times as much for all together."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes

    def exceeded(self, streams: Mapping[int, RequestStream]) -> list[int]:
        """Return the arrival numbers of the streams to end: all above the bound, then the largest ones until
        the rest is within the common bound."""
        sizes = {arrival: size for arrival, stream in streams.items() if (size := stream.num_bytes)}
        total = sum(sizes.values())
        over = []
        for arrival in sorted(sizes, key=lambda arrival: sizes[arrival], reverse=True):
            if sizes[arrival] <= self.max_bytes and total <= _NUM_FULL * self.max_bytes:
                break
            total -= sizes[arrival]
            over.append(arrival)
        return over
