"""The scheduled tokens of a step as tensors: one flat batch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from engine.adapter import Adapter
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.sequence import Sequence
from engine.scheduling.state_slots import Snapshot
from engine.transfers import send

Drafts = Mapping[Sequence, tuple[int, ...]]
NO_DRAFTS: Drafts = MappingProxyType({})
Snapshots = Mapping[Sequence, list[Snapshot]]
NO_SNAPSHOTS: Snapshots = MappingProxyType({})


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
    long_rows: bool [num_tokens], whether a row's sequence is long (`Sequence.is_long`); None if none is.
    drafted: the rows of the drafted tokens of a sequence, in their order. Each is a decoding row with a span
        of its own, so that its result is that of a step without a draft. It reads keys that other rows of the
        batch write, so all keys of a layer must be written before any are read.
    """

    entries: list[ScheduledTokens]
    input_ids: Tensor
    positions: Tensor
    slots: Tensor
    decodes: list[Span]
    chunks: list[Span]
    adapters: tuple[Adapter | None, ...] | None = None
    drafted: dict[Sequence, list[int]] = field(default_factory=dict)
    snapshots: Snapshots = field(default_factory=dict)
    long_rows: Tensor | None = None

    @property
    def spans(self) -> list[Span]:
        """The spans of the rows that are not drafted: one for each of `entries`, in the same order."""
        if not self.drafted:
            return self.decodes + self.chunks
        drafted = {row for rows in self.drafted.values() for row in rows}
        return [span for span in self.decodes if span.row not in drafted] + self.chunks


def build_batch(
    entries: list[ScheduledTokens],
    block_size: int,
    device: torch.device,
    drafts: Drafts = NO_DRAFTS,
    snapshots: Snapshots = NO_SNAPSHOTS,
) -> Batch:
    """Return the batch of these entries on the device. drafts, snapshots: as in `Schedule`."""
    ahead = [
        ScheduledTokens(sequence, position, position + 1)
        for sequence, draft in drafts.items()
        for position in range(sequence.num_tokens, sequence.num_tokens + len(draft))
    ]
    parts = sorted([*entries, *ahead], key=lambda part: (part.end - part.start > 1, part.end))
    input_ids: list[int] = []
    positions: list[int] = []
    slots: list[int] = []
    spans: list[Span] = []
    drafted: dict[Sequence, list[int]] = {}
    for sequence, start, end in parts:
        blocks = sequence.table.block_ids
        spans.append(Span(len(input_ids), start, end - start, blocks[: -(-end // block_size)]))
        if end - start == 1:  # thousands of these a second: no loop
            if start < len(sequence.token_ids):
                input_ids.append(sequence.token_ids[start])
            else:
                drafted.setdefault(sequence, []).append(len(input_ids))
                input_ids.append(drafts[sequence][start - len(sequence.token_ids)])
            positions.append(start)
            slots.append(blocks[start // block_size] * block_size + start % block_size)
        else:
            input_ids += sequence.token_ids[start:end]
            positions += range(start, end)
            slots += [blocks[p // block_size] * block_size + p % block_size for p in range(start, end)]
    rows = send(torch.from_numpy(np.array([input_ids, positions, slots])), device)
    num_decodes = sum(span.num_tokens == 1 for span in spans)
    decodes, chunks = spans[:num_decodes], spans[num_decodes:]
    entries = [part for part in parts if part.start < part.sequence.num_tokens] if drafts else parts
    adapters, long_rows = _adapters(parts), _long_rows(parts, device)
    return Batch(entries, rows[0], rows[1], rows[2], decodes, chunks, adapters, drafted, snapshots, long_rows)


def _long_rows(parts: list[ScheduledTokens], device: torch.device) -> Tensor | None:
    if not any(part.sequence.is_long for part in parts):
        return None
    is_long = np.array([part.sequence.is_long for part in parts])
    return send(torch.from_numpy(is_long.repeat([part.end - part.start for part in parts])), device)


def _adapters(entries: list[ScheduledTokens]) -> tuple[Adapter | None, ...] | None:
    if all(entry.sequence.adapter is None for entry in entries):
        return None
    return tuple(entry.sequence.adapter for entry in entries for _ in range(entry.start, entry.end))
