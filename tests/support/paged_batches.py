"""Batches of rows over KV pages, for tests of attention: their spans, slots and block tables."""

from collections.abc import Sequence
from random import Random

import torch

from engine.attention.batch import Batch, Span


def num_blocks_for(ranges: Sequence[tuple[int, int]], block_size: int) -> int:
    """Return the number of blocks of these sequences."""
    return sum(-(-end // block_size) for _, end in ranges)


def paged_batch(
    ranges: Sequence[tuple[int, int]], block_size: int, *, first_block: int = 0, seed: int = 0
) -> Batch:
    """Return the batch that computes these tokens, (start, end) of each sequence; a single one decodes.

    Sequences that decode come first. Their blocks lie in any order, from `first_block` on.
    """
    parts = sorted(ranges, key=lambda part: part[1] - part[0] > 1)
    free = [first_block + block for block in range(num_blocks_for(parts, block_size))]
    Random(seed).shuffle(free)
    spans: list[Span] = []
    positions: list[int] = []
    slots: list[int] = []
    for start, end in parts:
        blocks = [free.pop() for _ in range(-(-end // block_size))]
        spans.append(Span(len(positions), start, end - start, blocks))
        positions += range(start, end)
        slots += [blocks[p // block_size] * block_size + p % block_size for p in range(start, end)]
    num_decodes = sum(span.num_tokens == 1 for span in spans)
    rows = torch.tensor([positions, slots])
    return Batch([], torch.zeros_like(rows[0]), rows[0], rows[1], spans[:num_decodes], spans[num_decodes:])
