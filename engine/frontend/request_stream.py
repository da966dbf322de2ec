"""The stream of one request's events to their reader, and the bound on unread events."""

from collections.abc import Callable, Mapping
from typing import Final

from typing_extensions import override

from engine.errors import EngineError
from engine.events import Embedding, TokenEvent
from engine.frontend.event_stream import EventStream
from engine.request import EmbeddingRequest, GenerationRequest

# As tracemalloc counts them, rounded up.
_EVENT_BYTES: Final = 500
_RANKED_TOKEN_BYTES: Final = 150

# The bound for all requests together, as a multiple of the bound for one request.
_NUM_FULL: Final = 8


class RequestStream(EventStream[TokenEvent | Embedding | EngineError]):
    """An event stream that counts ended sequences and estimates the bytes of unread events.

    on_end: called in the event loop with the number of sequences that have just ended, as soon as their last
    events are put, whether or not they are read.
    """

    def __init__(
        self,
        request: GenerationRequest | EmbeddingRequest,
        on_end: Callable[[int], object] | None = None,
    ) -> None:
        """Make an empty stream. Requires a running event loop."""
        super().__init__()
        self._on_end = on_end
        self._num_running = 1
        self._event_bytes = _EVENT_BYTES
        self._prompt_bytes = 0  # of log-probabilities of the prompt, which come with the first event
        if isinstance(request, GenerationRequest):
            self._num_running = request.num_sequences
            self._event_bytes += _RANKED_TOKEN_BYTES * request.sampling.num_listed_logprobs
            self._num_ranked = request.sampling.num_prompt_logprobs or 0

    @property
    def num_bytes(self) -> int:
        """The estimated memory of unread events, in bytes."""
        return len(self) * self._event_bytes + self._prompt_bytes

    @override
    def put(self, item: TokenEvent | Embedding | EngineError) -> None:
        super().put(item)
        if isinstance(item, TokenEvent):
            if item.prompt is not None:
                self._prompt_bytes = len(item.prompt) * _RANKED_TOKEN_BYTES * (1 + self._num_ranked)
            if item.finish is not None:
                self._end(1)
        elif isinstance(item, EngineError):
            self._end(self._num_running)

    @override
    def take(self) -> TokenEvent | Embedding | EngineError:
        self._prompt_bytes = 0
        return super().take()

    def _end(self, num_sequences: int) -> None:
        self._num_running -= num_sequences
        if self._on_end is not None and num_sequences:
            self._on_end(num_sequences)


class UnreadBound:
    """The bound on unread bytes: `max_bytes` for one request, eight times as many for all together."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes

    def exceeded(self, streams: Mapping[int, RequestStream]) -> list[int]:
        """Return the arrivals of streams to end: those over the bound, then the largest until others fit."""
        sizes = {arrival: size for arrival, stream in streams.items() if (size := stream.num_bytes)}
        total = sum(sizes.values())
        over = []
        for arrival in sorted(sizes, key=lambda arrival: sizes[arrival], reverse=True):
            if sizes[arrival] <= self.max_bytes and total <= _NUM_FULL * self.max_bytes:
                break
            total -= sizes[arrival]
            over.append(arrival)
        return over
