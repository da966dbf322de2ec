"""A pass of the model by transformers' own attention, which what the engine puts in its place is held to."""

import torch
from torch import Tensor
from transformers import PreTrainedModel

from engine.attention.paged_attention import ATTENTION_NAME

_TOLERANCE = {torch.float32: 1e-3}
_TOLERANCE_16_BIT = 0.2


@torch.inference_mode()
def reference_logits(model: PreTrainedModel, token_ids: list[int]) -> Tensor:
    """[num_tokens, vocab_size] float32, of one sequence without a cache."""
    model.set_attn_implementation("eager")
    try:
        input_ids = torch.tensor([token_ids], device=model.device)
        logits: Tensor = model(input_ids=input_ids, use_cache=False).logits
    finally:
        model.set_attn_implementation(ATTENTION_NAME)
    return logits[0].float()


def relative_difference(ours: Tensor, theirs: Tensor) -> float:
    """Of logits, [num_tokens, vocab_size] each.

    The median of the tokens, since 16-bit rounding may send single ones of a mixture to other experts.
    """
    differences = (ours - theirs).norm(dim=-1) / theirs.norm(dim=-1)
    return float(differences.median())


def is_same(difference: float, dtype: torch.dtype) -> bool:
    """Whether a relative difference is rounding. Wrong arithmetic gives some 0.5, 16-bit up to some 0.05."""
    return difference < _TOLERANCE.get(dtype, _TOLERANCE_16_BIT)
