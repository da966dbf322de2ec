"""The shapes of a model's keys and values, layer by layer."""

from collections import Counter

import msgspec
import torch

from engine.attention.window import Window


class IndexGeometry(msgspec.Struct, frozen=True):
    """The shape of the index keys of one layer: a vector for each token."""

    dim: int
    dtype: torch.dtype

    @property
    def token_bytes(self) -> int:
        """The number of bytes that a token takes."""
        return self.dim * self.dtype.itemsize


class QueryGeometry(msgspec.Struct, frozen=True):
    """The heads that ask a layer's keys. has_softcap, has_sinks: whether its `Scores` have these."""

    num_heads: int
    has_softcap: bool = False
    has_sinks: bool = False


class LayerGeometry(msgspec.Struct, frozen=True):
    """The shapes of one layer.

    index: the attention module's `layer_idx`, or the number of its call (`KVGeometry.is_by_call`). window:
    the part of its sequence that a token sees; None for all before it. top_k: how many of these tokens an
    index chooses; None for all. index_keys: those that the layer caches; None if it has no index of its own.
    queries: None where no pass has shown them.
    """

    index: int
    num_kv_heads: int
    key_dim: int
    value_dim: int
    window: Window | None = None
    top_k: int | None = None
    index_keys: IndexGeometry | None = None
    queries: QueryGeometry | None = None

    def seen_in_words(self) -> str:
        """Return which tokens a token sees, such as "full" or "a window of 512 tokens"."""
        if self.top_k is not None:
            return f"the {self.top_k:,} tokens that an index chooses"
        return "full" if self.window is None else self.window.in_words()


class KVGeometry(msgspec.Struct, frozen=True):
    """The shapes of all layers, and the dtype of keys and values.

    is_by_call: whether modules attend several times in a pass, so that each call is a layer of its own.
    """

    layers: tuple[LayerGeometry, ...]
    dtype: torch.dtype
    is_by_call: bool = False

    def in_words(self) -> tuple[str, ...]:
        """Return which tokens the layers see, such as "full in 24 layers"."""
        seen = Counter(layer.seen_in_words() for layer in self.layers)
        return tuple(
            f"{words} in {number} layer{'' if number == 1 else 's'}" for words, number in seen.items()
        )

    def block_bytes(self, block_size: int) -> int:
        """Return the number of bytes that one block takes in all layers."""
        num_elements = sum(layer.num_kv_heads * (layer.key_dim + layer.value_dim) for layer in self.layers)
        index_bytes = sum(
            layer.index_keys.token_bytes for layer in self.layers if layer.index_keys is not None
        )
        return block_size * (num_elements * self.dtype.itemsize + index_bytes)
