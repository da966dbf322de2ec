"""The number of tokens that a prompt and its output may have together."""

from collections.abc import Iterator
from typing import Any, Final

from transformers import PreTrainedConfig

from engine.config import EngineConfig
from engine.port.errors import ModelNotSupported

# These rotary embeddings change with the longest sequence of the batch if it exceeds the original context.
_LENGTH_DEPENDENT_ROPE: Final = {"dynamic", "longrope"}


def choose_max_total_tokens(config: EngineConfig, text_config: PreTrainedConfig) -> int:
    """Return what the engine's config asks for, or else the model's context.

    Raises ModelNotSupported if the model has a smaller context, or names none and none is asked for.
    """
    limit: int | None = getattr(text_config, "max_position_embeddings", None)
    if limit is None:  # Whisper's name for it
        limit = getattr(text_config, "max_target_positions", None)
    if original_context(text_config) is None:
        for rope in _ropes(text_config):
            if rope.get("rope_type") in _LENGTH_DEPENDENT_ROPE:
                limit = rope.get("original_max_position_embeddings", limit)
    if limit is not None and limit < 1:
        raise ModelNotSupported(f"the model's config says that its context is of {limit} tokens")
    wanted = config.max_total_tokens or limit
    if wanted is None:
        raise ModelNotSupported("the model's config names no context length: max_total_tokens must be given")
    if limit is not None and wanted > limit:
        raise ModelNotSupported(f"max_total_tokens {wanted} exceeds the model's {limit}")
    return wanted


def original_context(text_config: PreTrainedConfig) -> int | None:
    """Return the length above which a sequence uses LongRoPE's long frequencies; None for other models.

    None also where layers have rotary embeddings of several kinds, which are not computed by row.
    """
    rope: dict[str, Any] = getattr(text_config, "rope_parameters", None) or {}
    length = rope.get("original_max_position_embeddings")
    return length if rope.get("rope_type") == "longrope" and isinstance(length, int) and length > 0 else None


def context_note(text_config: PreTrainedConfig, max_total_tokens: int) -> str | None:
    """Return a sentence without its end where the context is less than config.json's; else None."""
    named = getattr(text_config, "max_position_embeddings", None)
    kinds = {rope["rope_type"] for rope in _ropes(text_config) if "rope_type" in rope}
    if original_context(text_config) is not None or not kinds & _LENGTH_DEPENDENT_ROPE or named is None:
        return None
    if max_total_tokens >= named:
        return None
    return (
        f"its context is cut from {named:,} to {max_total_tokens:,} tokens, since beyond them its rotary "
        "embedding depends on the other sequences of a batch"
    )


def _ropes(text_config: PreTrainedConfig) -> Iterator[dict[str, Any]]:
    """Yield the parameters of the model's rotary embeddings: one for all layers, or one for each kind."""
    found: dict[str, Any] = getattr(text_config, "rope_parameters", None) or {}
    yield found
    yield from (part for part in found.values() if isinstance(part, dict))
