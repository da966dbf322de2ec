"""The protocol of an engine, in full: whatever follows it serves every API contract; no torch.

`engine.async_engine` computes in this process, and `engine.remote` lets servers compute. Another engine is
written from this page, from `request.py` and `events.py` beside it, which are what goes in and comes out, and
from `errors.py`, whose errors are the only ones that its methods raise.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.port.events import Embedding, TokenEvent
from engine.port.info.adapter import Adapters
from engine.port.info.capabilities import Capabilities
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechReader
from engine.port.info.stats import EngineStats, Health
from engine.port.media_item import MediaProcessor
from engine.port.request import EmbeddingRequest, GenerationRequest, Media
from engine.port.text.tokenizer import Tokenizer


class Engine(Protocol):
    """A loaded model that serves requests, many at a time.

    All methods and properties belong to the event loop that started it, and none of them blocks that loop.
    The properties, but for the names of `adapters`, are the same from the start to the end.
    """

    @property
    @abstractmethod
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the model, which any thread may use."""

    @property
    @abstractmethod
    def model_info(self) -> ModelInfo:
        """The facts about the model, its context and its cache."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """The features that requests may ask for; whatever else is asked for raises NotCapable."""

    @property
    @abstractmethod
    def adapters(self) -> Adapters:
        """The adapters that requests may name: `info.adapter.NO_ADAPTERS` for an engine that takes none."""

    @property
    @abstractmethod
    def media(self) -> MediaProcessor | None:
        """The processor of files for the model; None for a model that reads text alone.

        The prompts of requests with media are those that it makes.
        """

    @property
    @abstractmethod
    def speech(self) -> SpeechReader | None:
        """The reader of sounds for a model that transcribes; None for any other, and where no sound is read
        in this process."""

    @property
    @abstractmethod
    def shares_interpreter(self) -> bool:
        """True if a thread of this process computes, which waits while the event loop has the interpreter."""

    @abstractmethod
    def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        """Run a request. Closing the iterator, or cancelling the task that awaits it, aborts the request.

        on_end: called with the number of sequences that have just ended, even before their events are read;
        for all of them in the end, unless the iterator is closed before.

        The events of its sequences are interleaved, in order within each sequence; the iterator ends after
        the last event of the last sequence. Nothing runs before the first event is awaited.

        Raises at the first event: InvalidRequest for a request that this model can never run, one of its
        subclasses where it says more, such as NotCapable and PromptTooLong, or an id that is in use;
        EngineBusy; EngineStopped. Then or later: GenerationFailed, RequestAborted, or ReaderTooSlow if too
        many events are unread; EngineStopped if the engine stops; EngineDied if it is dead.
        """

    @abstractmethod
    async def embed(self, request: EmbeddingRequest) -> Embedding:
        """Return a text's vector, float32 [hidden_size]. Cancelling the task that awaits it aborts the
        request.

        Raises InvalidRequest as `submit` does, NotCapable if `capabilities` has no embeddings, EngineBusy,
        EngineStopped, GenerationFailed, RequestAborted or EngineDied.
        """

    @abstractmethod
    async def align(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the weights with which the decoder's alignment heads attend to a window of sound.

        window: as `Audio.window` returns it. token_ids: a prompt about the window, and its output. Returns
        softmax weights, float32 [num_heads, num_tokens, num_positions], where the heads are those of
        `model_info.speech.alignment_heads`, in their order.

        Raises NotCapable for a model without such heads or an engine that cannot look at them,
        GenerationFailed, EngineStopped and EngineDied.
        """

    @abstractmethod
    async def abort(self, request_id: str) -> None:
        """End a request, whose iterator raises RequestAborted. Unknown and ended ids are ignored."""

    @abstractmethod
    async def health(self) -> Health:
        """Return whether requests can be expected to succeed. Raises nothing."""

    @abstractmethod
    async def death(self) -> None:
        """Return once the engine has died, with all its requests ended by EngineDied; never while it lives.

        A process whose engine has died is replaced. An engine that `stop` ended has not died.
        """

    @abstractmethod
    def stats(self) -> EngineStats:
        """Return the counters since the start and the gauges of now. Raises nothing."""

    @abstractmethod
    async def drain(self, timeout_s: float) -> None:
        """Refuse new requests with EngineStopped, and wait for running ones for as many seconds; then these
        raise EngineStopped too."""

    @abstractmethod
    async def stop(self) -> None:
        """End all requests with EngineStopped, and then whatever the engine has started. May come again."""
