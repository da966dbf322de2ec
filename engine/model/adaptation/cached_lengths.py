"""The number of tokens before a batch, for attention that counts its positions from transformers' cache.

Llama 4 scales the queries of layers without a rotary embedding by their position (arXiv 2501.19399), which it
takes from the length of the cache. The rows of a flat batch do not share one.
"""

from typing import Any

import torch
from torch import Tensor, nn


class CachedLengths:
    """A cache that holds nothing, and has a length for each row of a batch.

    The module adds a row's index to it, and so finds the row's position.
    """

    def __init__(self, positions: Tensor) -> None:
        """Take the positions of a batch's tokens, int64 [num_tokens]."""
        self._lengths = positions - torch.arange(len(positions), device=positions.device)

    def get_seq_length(self, layer: int) -> Tensor:
        """Return the number of tokens before row 0 of the batch, as each row would have it, [num_tokens]."""
        return self._lengths

    def update(self, keys: Tensor, values: Tensor, layer: int) -> tuple[Tensor, Tensor]:
        """Return the keys and values of the batch, to which our attention adds those before."""
        return keys, values


def give_cached_lengths(model: nn.Module) -> None:
    """Let layers whose attention counts positions from a cache be called with one, if they get none."""
    for layer in model.modules():
        if any(getattr(child, "attn_temperature_tuning", False) for child in layer.children()):
            layer.register_forward_pre_hook(_give_lengths, with_kwargs=True)


def _give_lengths(_: nn.Module, args: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    if named.get("past_key_values") is not None:
        return args, named
    return args, {**named, "past_key_values": CachedLengths(named["position_ids"][0])}
