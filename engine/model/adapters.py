"""The adapters of the batch that runs, and what they add to the outputs of linear layers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple
from weakref import ref

import torch
from torch import Tensor, nn

from engine.host.transfers import upload
from engine.native.structures import UP_OUTPUTS
from engine.port.info.adapter import Adapter


class LowRank(NamedTuple):
    """The change of one linear layer's weight as a product of two thin ones.

    down: [rank, in_features]. up: [rank, out_features], with the scaling in it. Both are contiguous, in the
    model's dtype and on its device.

    Compiled code takes `up` in panels: [num_panels, rank, UP_OUTPUTS], so that a step reads memory in order;
    the last panel ends in zeros.
    """

    down: Tensor
    up: Tensor

    def up_matrix(self, num_outputs: int) -> Tensor:
        """Return `up` as [rank, num_outputs], a copy if it lies in panels."""
        if self.up.dim() == 2:
            return self.up
        return self.up.transpose(0, 1).flatten(1)[:, :num_outputs]


def in_panels(up: Tensor) -> Tensor:
    """Return a matrix [rank, num_outputs] in the panels of compiled code, [num_panels, rank, UP_OUTPUTS]."""
    padded = nn.functional.pad(up, (0, -up.shape[1] % UP_OUTPUTS))
    return padded.view(len(up), -1, UP_OUTPUTS).transpose(0, 1).contiguous()


@dataclass(frozen=True, eq=False)
class LoraAdapter(Adapter):
    """A loaded LoRA adapter. layers: by the path of the linear layer that each changes."""

    layers: Mapping[str, LowRank]

    @property
    def num_bytes(self) -> int:
        """The memory that its weights take."""
        return sum(tensor.nbytes for layer in self.layers.values() for tensor in layer)


class _Group(NamedTuple):
    """An adapter and its rows of the batch: int64 [num_rows], or None for all of them."""

    adapter: LoraAdapter
    rows: Tensor | None


class _JoinedLayer(NamedTuple):
    """The low-rank parts of several adapters for one linear layer, next to one another.

    down: [sum of ranks, in_features]. up: [sum of ranks, out_features]. owners: of each rank, the place of
    its adapter among those that are joined.
    """

    down: Tensor
    up: Tensor
    owners: tuple[int, ...]


class _Joined:
    """Several adapters, joined layer by layer as layers are asked for.

    It does not keep the adapters themselves, but a batch that uses it has those of its rows.
    """

    def __init__(self, adapters: Iterable[Adapter], on_end: Callable[[], object]) -> None:
        """Join no layer yet.

        on_end: a function that is called in any thread when one of the adapters is no longer in memory.
        """
        self._places = {ref(adapter, lambda _: on_end()): place for place, adapter in enumerate(adapters)}
        self._layers: dict[str, _JoinedLayer | None] = {}

    def covers(self, adapters: Iterable[Adapter]) -> bool:
        """Return whether all of these are among them."""
        return all(ref(adapter) in self._places for adapter in adapters)

    def places(self, adapters: Iterable[Adapter | None]) -> list[int]:
        """Return the place of each adapter; a number that is none of a place for None."""
        return [len(self._places) if each is None else self._places[ref(each)] for each in adapters]

    def layer(self, path: str, num_outputs: int) -> _JoinedLayer | None:
        """Return the parts for the linear layer of this path; None if no adapter changes it."""
        if path not in self._layers:
            self._layers[path] = self._join(path, num_outputs)
        return self._layers[path]

    def _join(self, path: str, num_outputs: int) -> _JoinedLayer | None:
        parts = {
            place: adapter.layers[path]
            for adapter, place in ((each(), place) for each, place in self._places.items())
            if isinstance(adapter, LoraAdapter) and path in adapter.layers
        }
        if not parts:
            return None
        return _JoinedLayer(
            torch.cat([part.down for part in parts.values()]),
            torch.cat([part.up_matrix(num_outputs) for part in parts.values()]),
            tuple(place for place, part in parts.items() for _ in range(len(part.down))),
        )


class JoinedAdapters:
    """The adapters of the last batches that had several, joined so that all of them are two products a layer.

    They are copies, kept until a batch has a further adapter or one of them leaves memory.
    """

    def __init__(self) -> None:
        self._joined: _Joined | None = None

    def of(self, adapters: Iterable[Adapter]) -> _Joined:
        """Return these adapters, and others perhaps, joined."""
        joined = self._joined
        if joined is None or not joined.covers(adapters):
            joined = self._joined = _Joined(adapters, self.forget)
        return joined

    def forget(self) -> None:
        """Release the copies, but for those that a batch computes with. Any thread may call this."""
        self._joined = None


# Rows up to which joined adapters pay: each row is multiplied with the parts of all of them.
_MAX_JOINED_ROWS: Final = 64


class AdaptedRows:
    """The rows of a batch by their adapter; rows without one are in no group."""

    def __init__(
        self, adapters: Sequence[Adapter | None], device: torch.device, joined: JoinedAdapters
    ) -> None:
        """Group the rows of a batch.

        adapters: the adapter of each row, at least one of them not None.
        joined: the joined adapters, which are kept from batch to batch.
        """
        self.adapters = adapters
        self._device = device
        rows: dict[Adapter, list[int]] = {}
        for row, adapter in enumerate(adapters):
            if adapter is not None:
                rows.setdefault(adapter, []).append(row)
        self._rows = rows
        self._all_joined = joined
        self._joins = len(rows) > 1 and len(adapters) <= _MAX_JOINED_ROWS
        self._others: dict[tuple[int, ...], Tensor] = {}

    def add(self, path: str, rows: Tensor, output: Tensor) -> None:
        """Add the adapters' part to the outputs of a linear layer, in place.

        path: the layer's. rows: its input, [num_rows, in_features] after any number of dimensions of one.
        output: the same of out_features.
        """
        rows, output = rows.view(-1, rows.shape[-1]), output.view(-1, output.shape[-1])
        assert len(rows) == len(output) == len(self.adapters), "a layer is given other rows"
        if self._joins:
            self._add_joined(path, rows, output)
            return
        for adapter, its in self._groups:
            if (layer := adapter.layers.get(path)) is None:
                continue
            if its is None:
                output += (rows @ layer.down.T) @ layer.up_matrix(output.shape[1])
            else:
                output.index_add_(0, its, (rows[its] @ layer.down.T) @ layer.up_matrix(output.shape[1]))

    @cached_property
    def _groups(self) -> list[_Group]:
        num_rows = len(self.adapters)
        return [
            _Group(adapter, None if len(its) == num_rows else upload(its, self._device, torch.int64))
            for adapter, its in self._rows.items()
            if isinstance(adapter, LoraAdapter)
        ]

    @cached_property
    def _joined(self) -> _Joined:
        return self._all_joined.of(self._rows)

    @cached_property
    def _places(self) -> Tensor:
        """The place of each row's adapter among those that are joined, int64 [num_rows]."""
        return upload(self._joined.places(self.adapters), self._device, torch.int64)

    def _add_joined(self, path: str, rows: Tensor, output: Tensor) -> None:
        if (layer := self._joined.layer(path, output.shape[1])) is None:
            return
        # Not multiplied with zero: what overflows by one adapter must not reach another's rows as NaN.
        reduced = (rows @ layer.down.T).masked_fill_(self._others_of(self._places, layer.owners), 0.0)
        output += reduced @ layer.up

    def _others_of(self, places: Tensor, owners: tuple[int, ...]) -> Tensor:
        """Return bool [num_rows, len(owners)]: whether a rank is of another adapter than that of the row."""
        if owners not in self._others:
            self._others[owners] = places[:, None] != upload(owners, self._device, torch.int64)
        return self._others[owners]


# None if no row of the batch has an adapter.
current_adapters: ContextVar[AdaptedRows | None] = ContextVar("current_adapters", default=None)
