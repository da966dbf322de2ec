"""The keys that each row of a batch sees, planned once per step for all layers of one window."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, groupby

import numpy as np
import torch
from torch import Tensor

from engine.attention.batch import Batch, Span
from engine.attention.window import Window
from engine.host.transfers import send, upload

# Decoding rows are padded to the longest of their group: up to 16 blocks, 32, 64, ...
_SMALLEST_GROUP_BITS = 4


@dataclass(frozen=True, slots=True)
class KeyRange:
    """The pages that rows `row` to `row + num_rows` of the batch read.

    blocks: int64 [num_sequences, num_blocks]; a chunk has one sequence, decoding rows have one each.
    mask: added to scores; [num_sequences, 1, 1, num_keys] for decoding rows, [num_rows, num_keys] for chunks.
    is_fresh: whether the chunk begins its sequence, so that all its keys are in the batch, and num_keys ==
        num_rows.
    is_causal: whether the mask is the plain triangle: is_fresh, and the window hides nothing.
    """

    row: int
    num_rows: int
    blocks: Tensor
    mask: Tensor
    is_fresh: bool = False
    is_causal: bool = False


@dataclass(frozen=True, slots=True)
class RaggedKeys:
    """The pages that the first `num_rows` rows of the batch read, one sequence each, without padding.

    blocks: int64, those of all rows, concatenated. firsts: int64 [num_rows], the index in `blocks` at which
    each row's begin. lows, highs: int64 [num_rows]; a row sees the keys `low` to `high` of its blocks.
    """

    num_rows: int
    blocks: Tensor
    firsts: Tensor
    lows: Tensor
    highs: Tensor


@dataclass(frozen=True, slots=True)
class ChunkKeys:
    """The pages that the chunks of a batch read. Under an aligned window, each run of a chunk counts as one.

    blocks: int64, those of all chunks, concatenated.
    places: int64 [num_chunks, 5]: the chunk's first row in the batch, its number of rows, the index of its
        first row's key within its blocks, the index in `blocks` at which its blocks begin, and the index
        within its blocks of the first key that any of its rows may see.
    window: the number of keys that a row sees at most, its own included; None for all from that first one.
    """

    blocks: Tensor
    places: Tensor
    window: int | None


@dataclass(frozen=True, slots=True)
class AttentionPlan:
    """The key ranges of a batch under one window.

    Decoding rows are in `decodes`, or in `ragged` for compiled code, which needs no padding. Likewise chunks
    are in `chunks`, or in `paged` for compiled code, which needs no mask; those with tokens that see each
    other in both directions are in `chunks` always.
    """

    decodes: list[KeyRange]
    chunks: list[KeyRange]
    ragged: RaggedKeys | None = None
    paged: ChunkKeys | None = None

    @classmethod
    def build(
        cls,
        batch: Batch,
        window: Window | None,
        block_size: int,
        dtype: torch.dtype,
        *,
        is_ragged: bool = False,
        is_paged: bool = False,
    ) -> "AttentionPlan":
        """Plan a batch. window: the part of its sequence that a row sees; None for all.

        is_ragged: plan decoding rows without padding. is_paged: plan chunks without masks.
        """
        device = batch.slots.device
        decodes: list[KeyRange] = []
        if not is_ragged:
            groups = _groups(batch.decodes, window, block_size)
            decodes = [_decode_range(group, window, block_size, dtype, device) for group in groups]
        # Compiled code has no mask by which a row could see keys after its own.
        paged = [span for span in batch.chunks if is_paged and not _seen_together(span, window)]
        chunks = [
            _chunk_range(span, window, block_size, dtype, device)
            for span in batch.chunks
            if not is_paged or _seen_together(span, window)
        ]
        return cls(
            decodes,
            chunks,
            _ragged_keys(batch.decodes, window, block_size) if is_ragged and batch.decodes else None,
            _chunk_keys(paged, window, block_size) if paged else None,
        )


def _first_key(span: Span, window: Window | None) -> int:
    """Return the first position that any row of the span sees."""
    if window is None:
        return 0
    return min([max(0, window.first_key(span.start)), *(first for first, _ in _seen_together(span, window))])


def _seen_together(span: Span, window: Window | None) -> tuple[tuple[int, int], ...]:
    """Return the ranges of the span's positions that see each other in layers of this window."""
    return () if span.together_in_windows and window is None else span.seen_together


def _groups(spans: list[Span], window: Window | None, block_size: int) -> Iterator[list[Span]]:
    def size_class(span: Span) -> int:
        num_blocks = len(span.blocks) - _first_key(span, window) // block_size
        return max((num_blocks - 1).bit_length(), _SMALLEST_GROUP_BITS)

    return (list(group) for _, group in groupby(spans, size_class))


def _ragged_keys(spans: list[Span], window: Window | None, block_size: int) -> RaggedKeys:
    first_keys = np.array([_first_key(span, window) for span in spans])
    first_blocks = first_keys // block_size
    tables = [span.blocks[first:] for span, first in zip(spans, first_blocks.tolist(), strict=True)]
    firsts = np.cumsum([0, *map(len, tables)])[:-1]
    highs = np.array([span.end for span in spans]) - first_blocks * block_size
    arrays = (np.fromiter(chain.from_iterable(tables), np.int64), firsts, first_keys % block_size, highs)
    return RaggedKeys(len(spans), *map(torch.from_numpy, arrays))


def _chunk_keys(chunks: list[Span], window: Window | None, block_size: int) -> ChunkKeys:
    spans = [piece for chunk in chunks for piece in _runs(chunk, window, block_size)]
    first_blocks = [_first_key(span, window) // block_size for span in spans]
    tables = [span.blocks[first:] for span, first in zip(spans, first_blocks, strict=True)]
    places = [
        (
            span.row,
            span.num_tokens,
            span.start - first_block * block_size,
            first,
            _first_key(span, window) % block_size,
        )
        for span, first_block, first in zip(
            spans, first_blocks, accumulate(map(len, tables), initial=0), strict=False
        )
    ]
    blocks = np.fromiter(chain.from_iterable(tables), np.int64)
    size = None if window is None else window.size
    return ChunkKeys(torch.from_numpy(blocks), torch.tensor(places), size)


def _runs(span: Span, window: Window | None, block_size: int) -> Iterator[Span]:
    """Yield the parts of a span that lie in one run of an aligned window each; under another, the span."""
    if window is None or not window.is_aligned:
        yield span
        return
    start = span.start
    while start < span.end:
        end = min(span.end, window.first_key(start) + window.size)
        yield Span(span.row + start - span.start, start, end - start, span.blocks[: -(-end // block_size)])
        start = end


def _decode_range(
    spans: list[Span], window: Window | None, block_size: int, dtype: torch.dtype, device: torch.device
) -> KeyRange:
    first_blocks = [_first_key(span, window) // block_size for span in spans]
    tables = [span.blocks[first:] for span, first in zip(spans, first_blocks, strict=True)]
    width = max(map(len, tables))
    # Padding repeats a block of the sequence's own: another's could hold a NaN, which a mask does not stop.
    padded = chain.from_iterable(table + table[:1] * (width - len(table)) for table in tables)
    blocks = torch.from_numpy(np.fromiter(padded, np.int64, len(spans) * width)).view(-1, width)
    # A row sees the gathered keys from a first one, which the window gives, to its own.
    offsets = np.array(first_blocks) * block_size
    ends = np.array([span.end for span in spans]) - offsets
    firsts = np.array([_first_key(span, window) for span in spans]) - offsets
    keys = np.arange(width * block_size)
    hidden = (keys >= ends[:, None]) | (keys < firsts[:, None])
    mask = _additive(torch.from_numpy(hidden), dtype)[:, None, None]
    return KeyRange(spans[0].row, len(spans), send(blocks, device), send(mask, device))


def _chunk_range(
    span: Span, window: Window | None, block_size: int, dtype: torch.dtype, device: torch.device
) -> KeyRange:
    first_block = _first_key(span, window) // block_size
    blocks = upload([span.blocks[first_block:]], device)
    is_fresh = span.start == 0
    num_keys = span.num_tokens if is_fresh else blocks.shape[1] * block_size
    keys = torch.arange(num_keys, device=device) + first_block * block_size
    queries = torch.arange(span.start, span.end, device=device)[:, None]
    together = _seen_together(span, window)
    hidden = _hidden(queries, keys, window, together, ends_with_window=span.together_in_windows)
    mask = _additive(hidden, dtype)
    is_causal = is_fresh and not together and (window is None or span.num_tokens <= window.size)
    return KeyRange(span.row, span.num_tokens, blocks, mask, is_fresh, is_causal)


def _hidden(
    queries: Tensor,
    keys: Tensor,
    window: Window | None,
    together: tuple[tuple[int, int], ...],
    *,
    ends_with_window: bool,
) -> Tensor:
    """Return which keys are hidden from which rows, bool [num_rows, num_keys].

    queries: positions [num_rows, 1], one after the other; keys: positions [num_keys]. together: ranges of
    positions that see each other. ends_with_window: whether they do so only within the window, as in
    Gemma 4; transformers' masks of other models let them see each other beyond it.
    """
    is_late = keys > queries
    is_early = torch.zeros_like(is_late) if window is None else keys < window.first_key(queries)
    for first, end in together:
        is_apart = (queries < first) | (queries >= end) | (keys < first) | (keys >= end)
        is_late &= is_apart
        if not ends_with_window:
            is_early &= is_apart
    return is_late | is_early


def _additive(hidden: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the mask of a shape, -inf where hidden."""
    return torch.zeros(hidden.shape, dtype=dtype, device=hidden.device).masked_fill_(hidden, float("-inf"))
