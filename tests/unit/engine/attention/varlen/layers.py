"""A layer whose attention is tested by itself."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


class _Module(nn.Module):
    layer_idx = 0


@dataclass(frozen=True)
class Layer:
    num_heads: int
    num_kv_heads: int
    dim: int

    @property
    def module(self) -> nn.Module:
        return _Module()

    def random_rows(self, num_rows: int) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values as a model gives them, [1, heads, num_rows, dim]."""
        query, key, value = (
            torch.randn(1, num_rows, heads, self.dim).transpose(1, 2)
            for heads in (self.num_heads, self.num_kv_heads, self.num_kv_heads)
        )
        return query, key, value
