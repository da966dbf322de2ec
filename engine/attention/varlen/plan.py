"""The rows and pages of a batch, as torch's varlen attention takes them; the same for all layers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.attention.batch import Batch, Span
from engine.host.transfers import PackedTensors

# In tokens. A kernel's plan depends on the sizes below, and cuDNN takes half a second to make one.
_FEWEST_KEYS: Final = 1024


@dataclass(frozen=True, slots=True)
class VarlenPlan:
    """The sequences of a batch, one for each span, in the order of their rows.

    Their number n, the table's width and both maxima are rounded up to powers of two, so that there are few
    of each. Those added have neither rows nor keys.
    query_starts: int32 [n + 1], the first row of each, and the end. key_starts: likewise of their keys.
    num_keys: int32 [n], those that the last row of each sees. block_table: int32 [n, width], filled up with
    block 0, which is not read. max_q, max_k: at least the most rows and keys of any.
    """

    query_starts: Tensor
    key_starts: Tensor
    num_keys: Tensor
    block_table: Tensor
    max_q: int
    max_k: int

    @classmethod
    def build(cls, batch: Batch, block_size: int, device: torch.device) -> "VarlenPlan":
        """Plan a batch, in one upload."""
        spans = batch.decodes + batch.chunks
        width = width_for(max(len(span.blocks) for span in spans), block_size)
        arrays = lay_out(spans, rounded(len(spans)), width)
        starts, ends, counts, table = PackedTensors(arrays, device).tensors
        most_rows = rounded(max(span.num_tokens for span in spans))
        return cls(starts, ends, counts, table, most_rows, width * block_size)


class LaidOut(NamedTuple):
    """The first four fields of a `VarlenPlan` on the host."""

    query_starts: NDArray[np.int32]
    key_starts: NDArray[np.int32]
    num_keys: NDArray[np.int32]
    block_table: NDArray[np.int32]


def lay_out(spans: Sequence[Span], num_sequences: int, width: int) -> LaidOut:
    """Lay out spans, in the order of their rows, in a table of so many sequences and blocks of each."""
    num_rows = sum(span.num_tokens for span in spans)
    block_table = np.zeros((num_sequences, width), np.int32)
    query_starts = np.full(num_sequences + 1, num_rows, np.int32)
    num_keys = np.zeros(num_sequences, np.int32)
    for index, span in enumerate(spans):
        block_table[index, : len(span.blocks)] = span.blocks
        query_starts[index] = span.row
        num_keys[index] = span.end
    key_starts = np.concatenate([np.zeros(1, np.int32), num_keys.cumsum(dtype=np.int32)])
    return LaidOut(query_starts, key_starts, num_keys, block_table)


def rounded(number: int) -> int:
    """Return the power of two that is at least the number."""
    return 1 << (number - 1).bit_length()


def width_for(num_blocks: int, block_size: int) -> int:
    """Return the width of a table for sequences of so many blocks."""
    return rounded(max(-(-_FEWEST_KEYS // block_size), num_blocks))
