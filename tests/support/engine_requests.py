"""Requests for the engine, made in one place for all tests."""

from collections.abc import Iterable
from typing import Any

from engine.port.request import (
    EmbeddingRequest,
    GenerationRequest,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
)


def generation_request(
    *,
    token_ids: Iterable[int],
    sampling: SamplingParams,
    stopping: StopConditions,
    request_id: str = "",
    **fields: Any,
) -> GenerationRequest:
    """Return a request whose prompt is text alone. fields: the others of GenerationRequest."""
    return GenerationRequest(
        request_id=request_id, prompt=Prompt(tuple(token_ids)), sampling=sampling, stopping=stopping, **fields
    )


def embedding_request(
    *, token_ids: Iterable[int], pooling: Pooling, request_id: str = "", **fields: Any
) -> EmbeddingRequest:
    """Return a request whose prompt is text alone. fields: the others of EmbeddingRequest."""
    return EmbeddingRequest(request_id=request_id, prompt=Prompt(tuple(token_ids)), pooling=pooling, **fields)
