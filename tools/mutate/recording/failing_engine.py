"""An engine that forwards requests to another one until it fails."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

import numpy as np
from numpy.typing import NDArray

from engine.port.engine import Engine
from engine.port.events import Embedding, TokenEvent
from engine.port.info.adapter import Adapters
from engine.port.info.capabilities import Capabilities
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechReader
from engine.port.info.stats import EngineStats, Health
from engine.port.media_item import MediaProcessor
from engine.port.request import EmbeddingRequest, GenerationRequest, Media
from engine.port.text.tokenizer import Tokenizer


class FailingEngine:
    """An engine that raises an error after some events of each request.

    Implements `engine.port.engine.Engine`. num_events: events of a request before the error.
    """

    def __init__(self, engine: Engine, error: Exception, num_events: int) -> None:
        self._engine = engine
        self._error = error
        self._num_events = num_events

    @property
    def tokenizer(self) -> Tokenizer:
        return self._engine.tokenizer

    @property
    def model_info(self) -> ModelInfo:
        return self._engine.model_info

    @property
    def capabilities(self) -> Capabilities:
        return self._engine.capabilities

    @property
    def adapters(self) -> Adapters:
        return self._engine.adapters

    @property
    def media(self) -> MediaProcessor | None:
        return self._engine.media

    @property
    def speech(self) -> SpeechReader | None:
        return self._engine.speech

    @property
    def shares_interpreter(self) -> bool:
        return self._engine.shares_interpreter

    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        if self._num_events:
            num_left = self._num_events
            async with aclosing(self._engine.submit(request, on_end)) as events:
                async for event in events:
                    if num_left == 0:
                        break
                    num_left -= 1
                    yield event
                else:
                    return
        raise self._error

    async def embed(self, request: EmbeddingRequest) -> Embedding:
        raise self._error

    async def align(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]:
        raise self._error

    async def abort(self, request_id: str) -> None:
        await self._engine.abort(request_id)

    async def health(self) -> Health:
        return Health(False, str(self._error))

    async def death(self) -> None:
        await self._engine.death()

    def stats(self) -> EngineStats:
        return self._engine.stats()

    async def drain(self, timeout_s: float) -> None:
        pass

    async def stop(self) -> None:
        pass
