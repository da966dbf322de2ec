"""The memory of the block pool: pages of keys, of values, and of index keys, a tensor of each a layer."""

import math

import numpy as np
import torch
from torch import Tensor

from engine.attention.kv_cache.geometry import KVGeometry
from engine.host.transfers import upload


class KVPages:
    """The keys and values of all layers; a page holds one block of token slots.

    Each layer has keys [num_blocks, block_size, num_kv_heads, key_dim] and values of the same shape with
    value_dim, and those with an index its keys [num_blocks, block_size, index_dim]. Tokens come before heads,
    so that gathered pages are already the run of tokens that attention reads, without a second copy. Pages
    start as zeros, because masked slots still enter a product with 0, and 0 * NaN is NaN.

    num_blocks: of those that sequences may own. num_spare: of those after them, which none owns.
    """

    def __init__(
        self,
        geometry: KVGeometry,
        num_blocks: int,
        block_size: int,
        device: torch.device,
        *,
        num_spare: int = 0,
    ) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.dtype = geometry.dtype
        self.is_by_call = geometry.is_by_call
        self._device = device
        num_pages = num_blocks + num_spare
        self._layers = {
            layer.index: tuple(
                zeros((num_pages, block_size, layer.num_kv_heads, dim), geometry.dtype, device)
                for dim in (layer.key_dim, layer.value_dim)
            )
            for layer in geometry.layers
        }
        self._index_keys = {
            layer.index: zeros((num_pages, block_size, keys.dim), keys.dtype, device)
            for layer in geometry.layers
            if (keys := layer.index_keys) is not None
        }

    @property
    def num_layers(self) -> int:
        return len(self._layers)

    @property
    def spare_block(self) -> int:
        """The first of the blocks that no sequence owns."""
        return self.num_blocks

    def write(self, layer: int, slots: Tensor, keys: Tensor, values: Tensor) -> None:
        """Write the keys and values of a batch to its slots.

        keys, values: [num_tokens, num_kv_heads, dim]. slots: int64 [num_tokens], as in `Batch`.
        """
        for pages, rows in zip(self._layers[layer], (keys, values), strict=True):
            pages.flatten(0, 1).index_copy_(0, slots, rows)

    def layer(self, layer: int) -> tuple[Tensor, Tensor]:
        """Return all pages of a layer's keys, and all of its values."""
        keys, values = self._layers[layer]
        return keys, values

    def gather(self, layer: int, blocks: Tensor) -> tuple[Tensor, Tensor]:
        """Return the keys and values of some blocks, a row of them for each sequence.

        blocks: int64 [batch, n]. Returns two tensors [batch, num_kv_heads, n * block_size, dim].
        """
        keys, values = (
            pages.index_select(0, blocks.flatten()).view(len(blocks), -1, *pages.shape[2:]).transpose(1, 2)
            for pages in self._layers[layer]
        )
        return keys, values

    def write_index_keys(self, layer: int, slots: Tensor, index_keys: Tensor) -> None:
        """Write index keys [num_tokens, index_dim] to slots, int64 [num_tokens]."""
        self._index_keys[layer].flatten(0, 1).index_copy_(0, slots, index_keys)

    def gather_index_keys(self, layer: int, blocks: Tensor) -> Tensor:
        """Return the index keys of some blocks, [batch, n * block_size, dim]. blocks: int64 [batch, n]."""
        pages = self._index_keys[layer]
        return pages.index_select(0, blocks.flatten()).view(len(blocks), -1, pages.shape[2])

    def copy(self, copies: list[tuple[int, int]]) -> None:
        """Copy pages in all layers; copies: pairs of (source block, destination block)."""
        sources, destinations = upload(copies, self._device).T
        for pages in self._tensors():
            pages[destinations] = pages[sources]

    def clear(self, blocks: list[int]) -> None:
        """Set blocks to zeros, so that a NaN of a failed step never meets their next owner."""
        cleared = upload(blocks, self._device, torch.int64)
        for pages in self._tensors():
            pages[cleared] = 0

    def _tensors(self) -> list[Tensor]:
        return [pages for layer in self._layers.values() for pages in layer] + [*self._index_keys.values()]


def zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return zeros; on the host by numpy, since the system then allocates memory only as it is written."""
    if device.type != "cpu":
        return torch.zeros(shape, dtype=dtype, device=device)
    num_bytes = math.prod(shape) * dtype.itemsize
    return torch.from_numpy(np.zeros(num_bytes, dtype=np.uint8)).view(dtype).view(shape)
