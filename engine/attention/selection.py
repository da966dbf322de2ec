"""The choice of the keys that each row sees, by an index that the model computes (DeepSeek-V3.2).

An indexer scores all keys of a sequence by short vectors of their own, the index keys, and attention sees the
best of them (arXiv 2512.02556, section 2.1). Index keys lie in pages next to keys and values. The model's own
code computes scores and choice: decoding rows as one batch over gathered pages, each chunk by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.attention.kv_cache.pages import KVPages
from engine.attention.plan import AttentionPlan, KeyRange


class Indexer(NamedTuple):
    """A module that chooses keys. layer: whose index keys it caches. top_k: how many keys it chooses at most.

    forward: its own, by the names of its arguments. It takes rows [batch, num_rows, ...], an additive mask
    [batch, num_rows, num_keys] and a cache, and returns the places of the chosen keys, [batch, num_rows, k].
    """

    layer: int
    top_k: int
    forward: Callable[..., Tensor]


@dataclass(frozen=True, slots=True)
class Selection:
    """The keys that an indexer chose for the rows of a batch.

    top_k: how many a row sees at most. plan: their ranges, masked; None if every row sees all keys before it.
    """

    top_k: int
    plan: AttentionPlan | None = None


class FlatMask:
    """The place of a mask that models hand to their indexer; positions and pages say what it would."""

    def __getitem__(self, part: Any) -> "FlatMask":
        return self


class IndexCache:
    """The place of transformers' cache, which an indexer gives its new index keys for all that it scores."""

    def __init__(self, gather: Callable[[Tensor], Tensor]) -> None:
        """Begin a step. gather: caches new index keys, and returns the index keys of the rows' sequences."""
        self._gather = gather

    def update_indexer(self, index_keys: Tensor, layer: int) -> Tensor:
        """Return the index keys of the rows' sequences, [batch, num_keys, index_dim]."""
        return self._gather(index_keys)


def select(
    indexer: Indexer,
    arguments: dict[str, Any],
    batch: Batch,
    pages: KVPages,
    plan: Callable[[], AttentionPlan],
) -> Selection:
    """Cache the index keys of the batch's rows, and choose the keys that each row sees.

    arguments: those of the indexer, for the whole batch. plan: returns that of the batch for torch.
    """
    num_rows = len(batch.slots)

    def choose(rows: slice, mask: Tensor, gather: Callable[[Tensor], Tensor], *, is_chunk: bool) -> Tensor:
        def store(index_keys: Tensor) -> Tensor:
            pages.write_index_keys(indexer.layer, batch.slots[rows], index_keys.flatten(0, 1))
            return gather(index_keys)

        chosen = {name: _rows_of(value, num_rows, rows, is_chunk) for name, value in arguments.items()}
        return indexer.forward(**{**chosen, "attention_mask": mask, "past_key_values": IndexCache(store)})

    if max(span.end for span in (*batch.decodes, *batch.chunks)) <= indexer.top_k:
        own_key = batch.slots.new_zeros(num_rows, 1, 1, dtype=pages.dtype)
        choose(slice(0, num_rows), own_key, lambda index_keys: index_keys, is_chunk=False)
        return Selection(indexer.top_k)

    def choose_of(keys: KeyRange, *, is_chunk: bool) -> KeyRange:
        mask = keys.mask[None] if is_chunk else keys.mask[:, 0]  # [batch, num_rows, num_keys]

        def gather(index_keys: Tensor) -> Tensor:
            return index_keys if keys.is_fresh else pages.gather_index_keys(indexer.layer, keys.blocks)

        places = choose(slice(keys.row, keys.row + keys.num_rows), mask, gather, is_chunk=is_chunk)
        if places.shape[-1] == mask.shape[-1]:
            return keys
        is_left = torch.ones_like(mask, dtype=torch.bool).scatter_(-1, places.long(), False)
        return replace(
            keys, mask=mask.masked_fill(is_left, float("-inf")).view_as(keys.mask), is_causal=False
        )

    ranges = plan()
    # Drafted tokens are decoding rows, in the order of their positions, after the chunk that they continue.
    chunks = [choose_of(keys, is_chunk=True) for keys in ranges.chunks]
    decodes = [choose_of(keys, is_chunk=False) for keys in ranges.decodes]
    return Selection(indexer.top_k, AttentionPlan(decodes, chunks))


def _rows_of(value: Any, num_rows: int, rows: slice, is_chunk: bool) -> Any:
    """Return the rows of an argument that has one for each of the batch's; others as they are.

    Rows of a chunk are [1, n, ...], those that decode a batch of their own, [n, 1, ...].
    """
    if isinstance(value, tuple):
        return tuple(_rows_of(one, num_rows, rows, is_chunk) for one in value)
    if not isinstance(value, Tensor) or value.dim() < 2 or value.shape[:2] != (1, num_rows):
        return value
    chosen = value[:, rows]
    return chosen if is_chunk else chosen.transpose(0, 1)
