"""The complete protocol of an engine, which every API contract is served with; no torch.

`engine.async_engine` runs the model in this process, and `engine.remote` uses other servers. To write another
engine, implement this protocol with the inputs in `request.py`, the outputs in `events.py`, and the
exceptions in `errors.py`, which are the only ones that its methods may raise; all are in this folder.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from engine.port.events import Embedding, TokenEvent
from engine.port.info.adapter import Adapters
from engine.port.info.capabilities import Capabilities
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechReader
from engine.port.info.stats import EngineStats, Health
from engine.port.media_item import MediaProcessor
from engine.port.request import EmbeddingRequest, GenerationRequest, Media
from engine.port.text.tokenizer import Tokenizer

if TYPE_CHECKING:  # a front of texts has no NumPy
    import numpy as np
    from numpy.typing import NDArray


class Engine(Protocol):
    """A loaded model that serves many requests concurrently.

    All methods and properties must be used in the event loop that started it, and none blocks that loop. The
    properties do not change after the start, except the names of `adapters`.
    """

    @property
    @abstractmethod
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, which is thread-safe."""

    @property
    @abstractmethod
    def model_info(self) -> ModelInfo:
        """The description of the model, its context and its cache."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """The features that requests may use; others raise NotCapable."""

    @property
    @abstractmethod
    def adapters(self) -> Adapters:
        """The adapters that requests may use; `info.adapter.NO_ADAPTERS` for an engine without adapters."""

    @property
    @abstractmethod
    def media(self) -> MediaProcessor | None:
        """The processor of media files for the model; None for a text model.

        Prompts with media must be created by it.
        """

    @property
    @abstractmethod
    def speech(self) -> SpeechReader | None:
        """The audio reader of a speech model; None for other models, or if this process reads no audio."""

    @property
    @abstractmethod
    def shares_interpreter(self) -> bool:
        """True if the model runs in this process, and so shares the interpreter with the event loop."""

    @abstractmethod
    def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        """Run a request and yield its events. Closing the iterator or cancelling its task aborts the request.

        on_end: called with the number of sequences that have just ended, possibly before their events are
        read; it is called for all sequences unless the iterator is closed early.

        The events of different sequences are interleaved, and in order within each sequence. The iterator
        ends after the last event of the last sequence. The request starts when the first event is awaited.

        Raises at the first event: InvalidRequest, or a subclass such as NotCapable or PromptTooLong, for a
        request that the model can never run or whose id is in use; EngineBusy; EngineStopped. Raises then or
        later: GenerationFailed; RequestAborted; ReaderTooSlow if too many events are unread; EngineStopped;
        EngineDied.
        """

    @abstractmethod
    async def embed(self, request: EmbeddingRequest) -> Embedding:
        """Return the embedding of a text, a float32 [hidden_size]. Cancelling the task aborts the request.

        Raises InvalidRequest as `submit` does, NotCapable if `capabilities` has no embeddings, EngineBusy,
        EngineStopped, GenerationFailed, RequestAborted or EngineDied.
        """

    @abstractmethod
    async def align(self, window: Media, token_ids: Sequence[int]) -> "NDArray[np.float32]":
        """Return the attention weights of the decoder's alignment heads over a window of audio.

        window: as returned by `Audio.window`. token_ids: a prompt for the window and its output. The result
        has softmax weights, float32 [num_heads, num_tokens, num_positions], with the heads in the order of
        `model_info.speech.alignment_heads`.

        Raises NotCapable if the model or the engine does not support this, GenerationFailed, EngineStopped
        and EngineDied.
        """

    @abstractmethod
    async def abort(self, request_id: str) -> None:
        """Abort a request; its iterator raises RequestAborted. Unknown and ended ids are ignored."""

    @abstractmethod
    async def health(self) -> Health:
        """Return whether requests are expected to succeed. Does not raise."""

    @abstractmethod
    async def death(self) -> None:
        """Wait until the engine has died and all its requests have raised EngineDied.

        A process whose engine has died must be restarted. An engine that was stopped has not died.
        """

    @abstractmethod
    def stats(self) -> EngineStats:
        """Return the counters since the start and the current gauges. Does not raise."""

    @abstractmethod
    async def drain(self, timeout_s: float) -> None:
        """Refuse new requests with EngineStopped, and wait for running ones for at most `timeout_s`; requests
        that still run then raise EngineStopped too."""

    @abstractmethod
    async def stop(self) -> None:
        """End all requests with EngineStopped, and release all resources. May be called again."""
