"""The scheduled tokens of a step as tensors: one flat batch."""

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from engine.attention.rope_positions import rope_positions
from engine.host.transfers import send, upload
from engine.port.info.adapter import Adapter
from engine.port.request import Media
from engine.scheduling.schedule import ScheduledTokens
from engine.scheduling.sequence import Sequence
from engine.scheduling.state_slots import Snapshot

Drafts = Mapping[Sequence, tuple[int, ...]]
NO_DRAFTS: Drafts = MappingProxyType({})
Snapshots = Mapping[Sequence, list[Snapshot]]
NO_SNAPSHOTS: Snapshots = MappingProxyType({})


class Span(NamedTuple):
    """Rows `row` to `row + num_tokens` of the batch: a sequence's tokens from position `start` on."""

    row: int
    """The first row."""

    start: int
    """The position of the first token in its sequence."""

    num_tokens: int
    """The number of rows."""

    blocks: list[int]
    """The sequence's block table, up to the block with the last token of the span."""

    seen_together: tuple[tuple[int, int], ...] = ()
    """The half-open ranges of positions whose tokens see each other in both directions, and of which the span
    has the last ones."""

    together_in_windows: bool = False
    """Limits `seen_together` to layers with a sliding window."""

    @property
    def end(self) -> int:
        return self.start + self.num_tokens


class UnseenTokens(NamedTuple):
    """Tokens that the step before draws on the device, and that the host does not know yet."""

    rows: list[int]
    """The rows of the batch that hold them."""

    token_ids: Tensor
    """All tokens that the step before draws, int64 [num_drawn], on the device."""

    sources: list[int]
    """The place in `token_ids` of each row's token."""


class MediaRows(NamedTuple):
    """Rows `row` to `row + num_tokens` of the batch: tokens of a medium, from its own token `first` on."""

    media: Media
    """The medium."""

    row: int
    """The first row."""

    first: int
    """The number of the first row's token among the medium's tokens, from 0."""

    num_tokens: int
    """The number of rows."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The input of one forward pass: one row for each scheduled token. It is made on the host."""

    entries: list[ScheduledTokens]
    """The scheduled tokens in row order; entries of one token first, by the length of their sequence."""

    input_ids: Tensor
    """The tokens, int64 [num_tokens]."""

    positions: Tensor
    """The position of each token in its sequence, int64 [num_tokens]."""

    slots: Tensor
    """The place of each token's key and value, int64 [num_tokens]: block * block_size + offset in the KV
    pages."""

    decodes: list[Span]
    """The spans of one token of text, which are rows 0 to len(decodes)."""

    chunks: list[Span]
    """The other spans."""

    adapters: tuple[Adapter | None, ...] | None = None
    """The adapter of each row; None if no row has one. Code that computes several modules of a model at once
    applies them itself, or declines the batch."""

    drafted: dict[Sequence, list[int]] = field(default_factory=dict)
    """The rows of the drafted tokens of a sequence, in their order. Each is a decoding row with a span of its
    own, so that its result is that of a step without a draft. It reads keys that other rows of the batch
    write, so all keys of a layer must be written before any are read."""

    snapshots: Snapshots = field(default_factory=dict)
    """The recurrent states to be kept of each sequence, as in `Schedule`."""

    long_rows: Tensor | None = None
    """A bool [num_tokens] that is true in the rows of a long sequence (`Sequence.is_long`); None if none is
    long."""

    media: SequenceOf[MediaRows] = ()
    """The rows that hold tokens of media; all of them are in chunks."""

    rope_positions: Tensor | None = None
    """The positions for the rotary embedding, int64 [num_axes, num_tokens]; None where they are `positions`.
    Rows of text have the same on all axes."""

    unseen: UnseenTokens | None = None
    """The tokens of `input_ids` that are not known yet, in whose rows it holds any; None if all are known."""

    def on(self, device: torch.device) -> "Batch":
        """Return the batch on a device, with all of its tokens."""
        if self.unseen is None and device.type == "cpu":
            return self
        rows = send(torch.stack([self.input_ids, self.positions, self.slots]), device)
        if self.unseen is not None:
            index, sources = upload([self.unseen.rows, self.unseen.sources], device, torch.int64)
            rows[0].index_copy_(0, index, self.unseen.token_ids[sources])
        long_rows, rope_positions = (
            None if tensor is None else send(tensor, device)
            for tensor in (self.long_rows, self.rope_positions)
        )
        return replace(
            self,
            input_ids=rows[0],
            positions=rows[1],
            slots=rows[2],
            long_rows=long_rows,
            rope_positions=rope_positions,
            unseen=None,
        )

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
    drafts: Drafts = NO_DRAFTS,
    snapshots: Snapshots = NO_SNAPSHOTS,
) -> Batch:
    """Return the batch of these entries on the host. drafts, snapshots: as in `Schedule`."""
    ahead = [
        ScheduledTokens(sequence, position, position + 1)
        for sequence, draft in drafts.items()
        for position in range(sequence.num_tokens, sequence.num_tokens + len(draft))
    ]
    parts = sorted([*entries, *ahead], key=lambda part: (_is_chunk(part), part.end))
    input_ids: list[int] = []
    positions: list[int] = []
    slots: list[int] = []
    spans: list[Span] = []
    drafted: dict[Sequence, list[int]] = {}
    for sequence, start, end in parts:
        blocks = sequence.table.block_ids
        span = Span(len(input_ids), start, end - start, blocks[: -(-end // block_size)])
        spans.append(_with_ranges(span, sequence.media) if sequence.media else span)
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
    rows = torch.from_numpy(np.array([input_ids, positions, slots]))
    num_decodes = sum(not _is_chunk(part) for part in parts)
    decodes, chunks = spans[:num_decodes], spans[num_decodes:]
    entries = [part for part in parts if part.start < part.sequence.num_tokens] if drafts else parts
    adapters, long_rows = _adapters(parts), _long_rows(parts)
    return Batch(
        entries,
        rows[0],
        rows[1],
        rows[2],
        decodes,
        chunks,
        adapters,
        drafted,
        snapshots,
        long_rows,
        _media_rows(parts, spans),
        _rope_positions(parts),
    )


def _is_chunk(part: ScheduledTokens) -> bool:
    """Return whether these are several tokens, or one of a medium or of its ranges."""
    sequence, start, end = part
    return end - start > 1 or any(_has_token(one, start) for one in sequence.media)


def _has_token(media: Media, position: int) -> bool:
    """Return whether a medium or one of its ranges has the token at a position of its prompt."""
    return any(
        first <= position - media.position < last
        for first, last in ((0, media.num_tokens), *media.seen_together)
    )


def _with_ranges(span: Span, media: SequenceOf[Media]) -> Span:
    """Return the span with media's ranges that see each other, each of which is there up to its end."""
    ranges = (
        (one.position + first, one.position + last) for one in media for first, last in one.seen_together
    )
    together = tuple((first, last) for first, last in ranges if first < span.end and last > span.start)
    if not together:
        return span
    in_windows = any(one.together_in_windows for one in media)
    return span._replace(seen_together=together, together_in_windows=in_windows)


def _media_rows(parts: list[ScheduledTokens], spans: list[Span]) -> list[MediaRows]:
    rows = []
    for (sequence, start, end), span in zip(parts, spans, strict=True):
        for one in sequence.media:
            first, last = max(start, one.position), min(end, one.end)
            if first < last:
                rows.append(MediaRows(one, span.row + first - start, first - one.position, last - first))
    return rows


def _rope_positions(parts: list[ScheduledTokens]) -> Tensor | None:
    """Return the positions for the rotary embedding, where those of any sequence have several axes."""
    num_axes = max(
        (len(one.rope.offsets) for part in parts for one in part.sequence.media if one.rope is not None),
        default=0,
    )
    if num_axes == 0:
        return None
    positions = [rope_positions(part.sequence.media, part.start, part.end, num_axes) for part in parts]
    return torch.from_numpy(np.concatenate(positions, axis=1))


def _long_rows(parts: list[ScheduledTokens]) -> Tensor | None:
    if not any(part.sequence.is_long for part in parts):
        return None
    is_long = np.array([part.sequence.is_long for part in parts])
    return torch.from_numpy(is_long.repeat([part.end - part.start for part in parts]))


def _adapters(entries: list[ScheduledTokens]) -> tuple[Adapter | None, ...] | None:
    if all(entry.sequence.adapter is None for entry in entries):
        return None
    return tuple(entry.sequence.adapter for entry in entries for _ in range(entry.start, entry.end))
