"""The events of one request on their way from the engine's thread to the reader, and how many may wait."""

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

# How many times the bound of one request may wait for all readers together.
_NUM_FULL: Final = 8


class RequestStream(EventStream[TokenEvent | Embedding | EngineError]):
    """A stream that knows which sequences have ended, and about how many bytes wait to be read.

    on_end: called in the event loop with how many of the request's sequences have ended, as soon as their
    last events are here, whether or not somebody reads them.
    """

    def __init__(
        self,
        request: GenerationRequest | EmbeddingRequest,
        on_end: Callable[[int], object] | None = None,
    ) -> None:
        """Needs a running event loop."""
        super().__init__()
        self._on_end = on_end
        self._num_running = 1
        self._event_bytes = _EVENT_BYTES
        self._prompt_bytes = 0  # of log-probabilities of the prompt, which come with the first event
        if isinstance(request, GenerationRequest):
            self._num_running = request.num_sequences
            self._event_bytes += _RANKED_TOKEN_BYTES * (request.sampling.num_logprobs or 0)
            self._num_ranked = request.sampling.num_prompt_logprobs or 0

    @property
    def num_bytes(self) -> int:
        """An estimate of the memory that unread events take."""
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
    """How many bytes may wait for the reader of one request, and eight times as many for all readers."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes

    def exceeded(self, streams: Mapping[int, RequestStream]) -> list[int]:
        """The streams to end, by arrival: those over the bound, then the largest until the others fit."""
        sizes = {arrival: size for arrival, stream in streams.items() if (size := stream.num_bytes)}
        total = sum(sizes.values())
        over = []
        for arrival in sorted(sizes, key=lambda arrival: sizes[arrival], reverse=True):
            if sizes[arrival] <= self.max_bytes and total <= _NUM_FULL * self.max_bytes:
                break
            total -= sizes[arrival]
            over.append(arrival)
        return over
