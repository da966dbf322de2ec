"""The reference: a forward pass with transformers' own attention, which the engine's must match."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.paged_attention import ATTENTION_NAME
from engine.model.checks.tolerance import LOGITS


@torch.inference_mode()
def reference_logits(model: PreTrainedModel, token_ids: list[int]) -> Tensor:
    """Return the logits of one sequence, computed without a cache: [num_tokens, vocab_size] float32."""
    model.set_attn_implementation("eager")
    try:
        input_ids = torch.tensor([token_ids], device=model.device)
        logits: Tensor = model(input_ids=input_ids, use_cache=False).logits
    finally:
        model.set_attn_implementation(ATTENTION_NAME)
    return logits[0].float()


def relative_difference(ours: Tensor, theirs: Tensor) -> float:
    """Return the relative difference of two logits [num_tokens, vocab_size], as the median over the tokens.

    It is the median because 16-bit rounding may route single tokens of a mixture to other experts.
    """
    differences = (ours - theirs).norm(dim=-1) / theirs.norm(dim=-1)
    return float(differences.median())


def is_same(difference: float, dtype: torch.dtype, *, is_quantized: bool = False) -> bool:
    """Return whether a relative difference of logits is small enough to be rounding."""
    return difference < LOGITS.for_dtype(dtype, is_quantized=is_quantized)
