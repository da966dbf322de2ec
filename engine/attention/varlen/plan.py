"""The rows and pages of a batch, as torch's varlen attention takes them; the same for all layers."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.host.transfers import send

# In tokens. A kernel's plan depends on the sizes below, and cuDNN takes half a second to make one.
_FEWEST_KEYS: Final = 1024
# Parts of the upload begin at multiples of so many numbers of 4 bytes.
_ALIGNMENT: Final = 32


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
    def of_decodes(
        cls, num_sequences: int, most_keys: int, block_size: int, device: torch.device
    ) -> "VarlenPlan":
        """Return a plan of so many sequences of one row each, to be refilled; as yet none has rows.

        num_sequences: a power of two. most_keys: that a sequence may have.
        """
        width = _width(-(-most_keys // block_size), block_size)
        sizes = ((num_sequences + 1,), (num_sequences + 1,), (num_sequences,), (num_sequences, width))
        starts, ends, counts, table = (torch.zeros(size, dtype=torch.int32, device=device) for size in sizes)
        return cls(starts, ends, counts, table, 1, width * block_size)

    def refill(self, plan: "VarlenPlan") -> None:
        """Take the numbers of a plan of as many sequences, whose table is at most as wide, where ours lie."""
        assert plan.max_q == 1 and plan.max_k <= self.max_k
        self.query_starts.copy_(plan.query_starts)
        self.key_starts.copy_(plan.key_starts)
        self.num_keys.copy_(plan.num_keys)
        self.block_table[:, : plan.block_table.shape[1]].copy_(plan.block_table)

    @classmethod
    def build(cls, batch: Batch, block_size: int, device: torch.device) -> "VarlenPlan":
        """Plan a batch, in one upload."""
        spans = batch.decodes + batch.chunks
        num_sequences = rounded(len(spans))
        width = _width(max(len(span.blocks) for span in spans), block_size)
        block_table = np.zeros((num_sequences, width), np.int32)
        query_starts = np.full(num_sequences + 1, len(batch.slots), np.int32)
        num_keys = np.zeros(num_sequences, np.int32)
        for index, span in enumerate(spans):
            block_table[index, : len(span.blocks)] = span.blocks
            query_starts[index] = span.row
            num_keys[index] = span.end
        key_starts = np.concatenate([np.zeros(1, np.int32), num_keys.cumsum(dtype=np.int32)])
        starts, ends, counts, table = _upload(
            [query_starts, key_starts, num_keys, block_table.reshape(-1)], device
        )
        return cls(
            starts,
            ends,
            counts,
            table.view(block_table.shape),
            rounded(max(span.num_tokens for span in spans)),
            width * block_size,
        )


def rounded(number: int) -> int:
    """Return the power of two that is at least the number."""
    return 1 << (number - 1).bit_length()


def _width(num_blocks: int, block_size: int) -> int:
    """Return the width of a table for sequences of so many blocks."""
    return rounded(max(-(-_FEWEST_KEYS // block_size), num_blocks))


def _upload(arrays: list[np.ndarray[tuple[int], np.dtype[np.int32]]], device: torch.device) -> list[Tensor]:
    """Return one-dimensional arrays on the device, which one copy has brought there."""
    sizes = [-(-len(array) // _ALIGNMENT) * _ALIGNMENT for array in arrays]
    starts = list(accumulate(sizes, initial=0))
    packed = np.zeros(starts[-1], np.int32)
    for start, array in zip(starts, arrays, strict=False):
        packed[start : start + len(array)] = array
    sent = send(torch.from_numpy(packed), device)
    return [sent[start : start + len(array)] for start, array in zip(starts, arrays, strict=False)]
