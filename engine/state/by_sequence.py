"""The computation of recurrent layers sequence by sequence, within a flat batch of many.

A module that keeps a state is given all rows of the batch at once. Those that decode become a batch of their
own, since one step of many sequences is one computation; each chunk of a prompt is computed by itself, in
pieces where a state is to be kept. transformers' code computes all of them, with a cache that holds the
states of these sequences alone.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

import torch
from torch import Tensor

from engine.attention.batch import Batch, Span
from engine.host.transfers import upload
from engine.port.errors import NoPagedAttention
from engine.scheduling.state_slots import Snapshot
from engine.state.probe import StateModule
from engine.state.store import StateStore

current_states: ContextVar["StateRows | None"] = ContextVar("current_states", default=None)


class _Piece(NamedTuple):
    """Rows of one sequence, computed at once. snapshot: the slot that keeps the state after them."""

    rows: slice
    slot: int
    is_fresh: bool
    snapshot: int | None


class StateRows:
    """The rows of a batch, arranged by what can be computed at once."""

    def __init__(self, batch: Batch, store: StateStore, *, is_stepwise: bool) -> None:
        """Cut a batch into pieces.

        is_stepwise: whether a chunk that continues a sequence is computed token by token.
        """
        assert not batch.drafted, "a state cannot be taken back, so nothing is drafted"
        self._store = store
        self._pieces: list[_Piece] = []
        self._ends: list[tuple[int, int]] = []
        self._num_rows = len(batch.input_ids)
        decodes: list[tuple[int, int]] = []  # (row, slot)
        for entry, span in zip(batch.entries, batch.spans, strict=True):
            slot = entry.sequence.slot
            assert slot is not None, "a sequence that runs owns a slot"
            snapshots = batch.snapshots.get(entry.sequence, [])
            if span.num_tokens == 1 and span.start > 0:
                decodes.append((span.row, slot))
                self._ends += [(slot, snapshot.slot) for snapshot in snapshots]
            else:
                self._pieces += _pieces(span, slot, snapshots, is_stepwise)
        device = batch.input_ids.device
        self._decoding: tuple[Tensor, Tensor] | None = None
        if decodes:
            rows, slots = upload(decodes, device, torch.int64).T
            self._decoding = rows.contiguous(), slots.contiguous()

    def keep_ends(self) -> None:
        """Keep the states after decoding rows, once all layers are computed."""
        if self._ends:
            self._store.copy(self._ends)

    def compute(
        self, keeper: StateModule, forward: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
    ) -> Tensor:
        """Compute a module's rows, and return its output [1, num_rows, ...].

        forward: its own. args, named: the arguments for the whole batch.
        """
        results: list[tuple[slice | Tensor, Tensor]] = []
        if self._decoding is not None:
            rows, slots = self._decoding
            cache = self._store.gather(keeper.layer, slots)
            result = self._call(forward, keeper, args, named, cache, rows)
            self._store.scatter(keeper.layer, slots, cache)
            results.append((rows, result.transpose(0, 1)))
        for piece in self._pieces:
            cache = self._store.of_slot(keeper.layer, piece.slot, is_fresh=piece.is_fresh)
            results.append((piece.rows, self._call(forward, keeper, args, named, cache, piece.rows)))
            if piece.snapshot is not None:
                self._store.copy_layer(keeper.layer, piece.slot, piece.snapshot)
        if len(results) == 1:
            return results[0][1]
        first = results[0][1]
        output = first.new_empty(1, self._num_rows, *first.shape[2:])
        for chosen, result in results:
            output[:, chosen] = result
        return output

    def _call(
        self,
        forward: Callable[..., Any],
        keeper: StateModule,
        args: tuple[Any, ...],
        named: dict[str, Any],
        cache: Any,
        rows: slice | Tensor,
    ) -> Tensor:
        given = [self._choose(value, rows) for value in args]
        chosen = {name: self._choose(value, rows) for name, value in named.items()}
        result = forward(*given, **{**chosen, keeper.cache_name: cache})
        if not isinstance(result, Tensor):
            raise NoPagedAttention(f"{type(keeper.module).__name__} returns more than its hidden states")
        return result

    def _choose(self, value: Any, rows: slice | Tensor) -> Any:
        """Return the rows of an argument that has one for each token; decoding ones as a batch, [n, 1, ...].

        Other arguments are returned as they are.
        """
        if isinstance(value, tuple):
            return tuple(self._choose(one, rows) for one in value)
        if not isinstance(value, Tensor) or value.dim() < 2 or value.shape[:2] != (1, self._num_rows):
            return value
        chosen = value[:, rows]
        return chosen if isinstance(rows, slice) else chosen.transpose(0, 1)


def compute_by_sequence(keepers: list[StateModule]) -> None:
    """Let these modules compute sequence by sequence wherever `current_states` is set."""
    for keeper in keepers:
        _replace_forward(keeper, keeper.module.forward)


def _replace_forward(keeper: StateModule, forward: Callable[..., Any]) -> None:
    def by_sequence(*args: Any, **named: Any) -> Any:
        rows = current_states.get()
        return forward(*args, **named) if rows is None else rows.compute(keeper, forward, args, named)

    keeper.module.forward = by_sequence


def _pieces(span: Span, slot: int, snapshots: list[Snapshot], is_stepwise: bool) -> Iterator[_Piece]:
    """Yield the pieces of a span, which end where a state is to be kept. snapshots: in order, within it.

    is_stepwise: as of `StateRows`.
    """
    kept = {one.num_tokens: one.slot for one in snapshots}
    ends = sorted({*kept, span.end})
    if is_stepwise:
        first = ends[0] if span.start == 0 else span.start + 1
        ends = list(range(first, span.end + 1))
    begin = span.start
    for end in ends:
        rows = slice(span.row + begin - span.start, span.row + end - span.start)
        yield _Piece(rows, slot, begin == 0, kept.get(end))
        begin = end
