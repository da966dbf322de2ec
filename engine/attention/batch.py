"""The scheduled tokens of a step as tensors: one flat batch."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from engine.scheduling.schedule import ScheduledTokens
from engine.transfers import send


class Span(NamedTuple):
    """Rows `row` to `row + num_tokens` of the batch: a sequence's tokens from position `start` on.

    blocks: the sequence's block table, up to the block with the last token of the span.
    """

    row: int
    start: int
    num_tokens: int
    blocks: list[int]

    @property
    def end(self) -> int:
        return self.start + self.num_tokens


@dataclass(frozen=True, slots=True)
class Batch:
    """The input of one forward pass: one row for each scheduled token.

    entries: in row order; entries of one token first, by the length of their sequence.

    input_ids, positions, slots: int64 [num_tokens]; a slot is block * block_size + offset in the KV pages.
    decodes: the spans of one token, which are rows 0 to len(decodes). chunks: the others.
    adapters: the adapter of each row; None if no row has one. What computes several modules of a model at
        once declines a batch with adapters, since these apply to each module.
    """

    entries: list[ScheduledTokens]
    input_ids: Tensor
    positions: Tensor
    slots: Tensor
    decodes: list[Span]
    chunks: list[Span]
    adapters: tuple[str | None, ...] | None = None

    @property
    def spans(self) -> list[Span]:
        """The spans of all rows: one for each of `entries`, in the same order."""
        return self.decodes + self.chunks


def build_batch(entries: list[ScheduledTokens], block_size: int, device: torch.device) -> Batch:
    """Return the batch of these entries on the device."""
    entries = sorted(entries, key=lambda entry: (entry.end - entry.start > 1, entry.end))
    input_ids: list[int] = []
    positions: list[int] = []
    slots: list[int] = []
    spans: list[Span] = []
    for sequence, start, end in entries:
        blocks = sequence.table.block_ids
        spans.append(Span(len(input_ids), start, end - start, blocks[: -(-end // block_size)]))
        if end - start == 1:  # thousands of these a second: no loop
            input_ids.append(sequence.token_ids[start])
            positions.append(start)
            slots.append(blocks[start // block_size] * block_size + start % block_size)
        else:
            input_ids += sequence.token_ids[start:end]
            positions += range(start, end)
            slots += [blocks[p // block_size] * block_size + p % block_size for p in range(start, end)]
    rows = send(torch.from_numpy(np.array([input_ids, positions, slots])), device)
    num_decodes = sum(span.num_tokens == 1 for span in spans)
    decodes, chunks = spans[:num_decodes], spans[num_decodes:]
    return Batch(entries, rows[0], rows[1], rows[2], decodes, chunks, _adapters(entries))


def _adapters(entries: list[ScheduledTokens]) -> tuple[str | None, ...] | None:
    if all(entry.sequence.adapter is None for entry in entries):
        return None
    return tuple(entry.sequence.adapter for entry in entries for _ in range(entry.start, entry.end))
