"""The shapes of a model's keys and values, layer by layer."""

import msgspec
import torch


class LayerGeometry(msgspec.Struct, frozen=True):
    """The shapes of one layer. index: the attention module's `layer_idx`."""

    index: int
    num_kv_heads: int
    key_dim: int
    value_dim: int


class KVGeometry(msgspec.Struct, frozen=True):
    layers: tuple[LayerGeometry, ...]
    dtype: torch.dtype

    def block_bytes(self, block_size: int) -> int:
        """Return the number of bytes that one block takes in all layers."""
        num_elements = sum(layer.num_kv_heads * (layer.key_dim + layer.value_dim) for layer in self.layers)
        return block_size * num_elements * self.dtype.itemsize
