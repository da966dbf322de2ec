"""The reference: a forward pass with transformers' own attention, which the engine's must match."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.paged_attention import ATTENTION_NAME, EAGER
from engine.model.checks.tolerance import LOGITS
from engine.port.errors import ModelNotSupported


@torch.inference_mode()
def reference_logits(model: PreTrainedModel, token_ids: list[int]) -> Tensor:
    """Return the logits of one sequence, computed without a cache: [num_tokens, vocab_size] float32.

    Raises ModelNotSupported if the model's code does.
    """
    if model.config._attn_implementation != ATTENTION_NAME:  # it attends by its own code
        return _logits(model, token_ids)
    model.set_attn_implementation(EAGER)
    try:
        return _logits(model, token_ids)
    finally:
        model.set_attn_implementation(ATTENTION_NAME)


def _logits(model: PreTrainedModel, token_ids: list[int]) -> Tensor:
    input_ids = torch.tensor([token_ids], device=model.device)
    try:
        logits: Tensor = model(input_ids=input_ids, use_cache=False).logits
    except ModelNotSupported:  # of weights that are read only now
        raise
    except Exception as error:  # whatever modelling code raises
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ModelNotSupported(f"{type(model).__name__} does not compute a few tokens: {reason}") from error
    return logits[0].float()


def relative_difference(ours: Tensor, theirs: Tensor) -> float:
    """Return the relative difference of two logits [num_tokens, vocab_size], as the median over the tokens.

    It is the median because 16-bit rounding may route single tokens of a mixture to other experts.
    """
    return float(_differences(ours, theirs).median())


def largest_difference(ours: Tensor, theirs: Tensor) -> float:
    """Return the largest relative difference of any token's logits; shapes as in `relative_difference`."""
    return float(_differences(ours, theirs).max())


def _differences(ours: Tensor, theirs: Tensor) -> Tensor:
    # A token whose embedding is zeros, as that of padding may be, has logits of zeros in many models.
    smallest = torch.finfo(theirs.dtype).tiny
    differences: Tensor = (ours - theirs).norm(dim=-1) / theirs.norm(dim=-1).clamp(min=smallest)
    return differences


def is_same(difference: float, dtype: torch.dtype, *, is_quantized: bool = False) -> bool:
    """Return whether a relative difference of logits is small enough to be rounding."""
    return difference < LOGITS.for_dtype(dtype, is_quantized=is_quantized)
