"""Texts to vectors through the engine, for every contract that serves embeddings."""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.port.engine import Engine
from engine.port.events import Embedding
from engine.port.info.model_info import ModelInfo
from engine.port.request import EmbeddingRequest, Pooling, Prompt
from handlers.active_requests.active_request import ActiveRequest
from handlers.concurrency.workers import Workers
from handlers.shared_settings.shared_settings import SharedSettings
from verbatim_kit.errors import Refused, Violation

if TYPE_CHECKING:  # a front of texts has no NumPy
    import numpy as np
    from numpy.typing import NDArray

# Texts of one request that are in the engine at once, so that a long list leaves room for others.
_MAX_PARALLEL: Final = 32

Vector: TypeAlias = "NDArray[np.float32]"


@dataclass(frozen=True)
class EmbeddedTexts:
    """The vectors of texts, and the counts of all texts' tokens.

    vectors: one vector for each text in order, float32 [dimensions], of unit length.
    """

    vectors: list[Vector]
    num_prompt_tokens: int
    num_cached_tokens: int


class Embedder:
    """The served model as one that embeds."""

    def __init__(self, engine: Engine, workers: Workers, settings: SharedSettings) -> None:
        self._hidden_size = engine.model_info.hidden_size
        self._max_total_tokens = engine.model_info.max_total_tokens
        self._tokenizer = engine.tokenizer
        self._workers = workers
        self._pooling = choose_pooling(settings.pooling, engine.model_info)
        self._max_parallel = min(_MAX_PARALLEL, settings.max_sequences_a_request)

    async def embed(
        self,
        active: ActiveRequest,
        texts: Sequence[str | Sequence[int]],
        *,
        field: str,
        dimensions: int | None = None,
        adapter: str | None = None,
    ) -> EmbeddedTexts:
        """Return the vectors of all texts. The first text that fails ends the others; its error is raised.

        texts: the texts, each as a string or as token ids.
        field: the name of the field that holds the texts, for messages.
        dimensions: the number of entries to keep of each vector, which then gets unit length again; None
            keeps all.
        Raises Overloaded, Refused if the vectors have fewer entries, and the errors of `Engine.embed`.
        """
        self._check_dimensions(dimensions)
        num_parallel = min(len(texts), self._max_parallel)
        places = asyncio.Semaphore(num_parallel)
        with active.permits(field, num_parallel):
            tasks = [asyncio.create_task(self._embed(active, text, adapter, places)) for text in texts]
            try:
                embeddings = await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        return EmbeddedTexts(
            [one.vector if dimensions is None else one.truncated(dimensions).vector for one in embeddings],
            sum(one.num_prompt_tokens for one in embeddings),
            sum(one.num_cached_tokens for one in embeddings),
        )

    def _check_dimensions(self, dimensions: int | None) -> None:
        if dimensions is not None and dimensions > self._hidden_size:
            raise Refused(
                f"`dimensions` is {dimensions}; the model's vectors have {self._hidden_size}",
                "dimensions",
                Violation.TOO_LARGE,
            )

    async def _embed(
        self,
        active: ActiveRequest,
        text: str | Sequence[int],
        adapter: str | None,
        places: asyncio.Semaphore,
    ) -> Embedding:
        async with places:
            request = EmbeddingRequest(
                request_id=token_hex(16),
                prompt=Prompt(await self._encode(text)),
                pooling=self._pooling,
                adapter=adapter,
            )
            return await active.embed(request)

    async def _encode(self, text: str | Sequence[int]) -> tuple[int, ...]:
        """Return a text's token ids with the special tokens that the tokenizer adds; ids as they are."""
        if isinstance(text, str):
            return await self._workers.tokenize(len(text), self._encode_now, text)
        return tuple(text)

    def _encode_now(self, text: str) -> tuple[int, ...]:
        self._tokenizer.check_length(text, self._max_total_tokens)
        return tuple(self._tokenizer.encode(text))


def choose_pooling(setting: Literal["auto", "mean", "last"], model: ModelInfo) -> Pooling:
    """Return the pooling of a setting; "auto" is the one that the model's directory names, else the mean."""
    return model.pooling or Pooling.MEAN if setting == "auto" else Pooling(setting)


def base64_of(vector: Vector) -> str:
    """The entries as little-endian float32, whatever the machine's order, in base64 (RFC 4648, section 4)."""
    return b64encode(vector.astype("<f4").tobytes()).decode()
