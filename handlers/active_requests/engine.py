"""The protocol of an engine: `engine.async_engine` computes, `engine.remote` lets a server compute."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.events import Embedding, TokenEvent
from engine.info.adapter import Adapters
from engine.info.capabilities import Capabilities
from engine.info.model_info import ModelInfo
from engine.info.speech_info import SpeechReader
from engine.info.stats import EngineStats, Health
from engine.media_item import MediaProcessor
from engine.request import EmbeddingRequest, GenerationRequest, Media
from engine.text.tokenizer import Tokenizer


class Engine(Protocol):
    """A loaded model that serves requests; the methods are those of AsyncEngine."""

    @property
    def tokenizer(self) -> Tokenizer: ...

    @property
    def model_info(self) -> ModelInfo: ...

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def adapters(self) -> Adapters: ...

    @property
    def media(self) -> MediaProcessor | None: ...

    @property
    def speech(self) -> SpeechReader | None: ...

    @property
    def shares_interpreter(self) -> bool:
        """True if a thread of this process computes, which waits while the event loop has the interpreter."""

    def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]: ...

    async def embed(self, request: EmbeddingRequest) -> Embedding: ...

    async def align(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]: ...

    async def abort(self, request_id: str) -> None: ...

    async def health(self) -> Health: ...

    async def death(self) -> None: ...

    def stats(self) -> EngineStats: ...

    async def drain(self, timeout_s: float) -> None: ...

    async def stop(self) -> None: ...
