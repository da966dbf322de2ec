"""The adapters of the batch that runs, and what they add to the outputs of linear layers."""

from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, NamedTuple

import torch
from torch import Tensor

from engine.adapter import Adapter
from engine.transfers import upload


class LowRank(NamedTuple):
    """The change of one linear layer's weight as a product of two thin ones.

    down: [rank, in_features]. up: [out_features, rank], with the scaling in it. Both are contiguous, in the
    model's dtype and on its device.
    """

    down: Tensor
    up: Tensor


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
    """The low-rank parts of several adapters for one linear layer, beside one another.

    down: [sum of ranks, in_features]. up: [out_features, sum of ranks]. owners: of each rank, the place of
    its adapter among those that are joined.
    """

    down: Tensor
    up: Tensor
    owners: tuple[int, ...]


class JoinedAdapters:
    """The adapters of the last batches that had several, joined so that all of them are two products a layer.

    They are copies, made as layers are asked for, and kept as long as batches have no further adapter.
    """

    def __init__(self) -> None:
        self._places: dict[Adapter, int] = {}
        self._layers: dict[str, _JoinedLayer | None] = {}

    def cover(self, adapters: Iterable[Adapter]) -> Mapping[Adapter, int]:
        """Return the place of each of these adapters, and of others perhaps."""
        wanted = dict.fromkeys(adapters)
        if not wanted.keys() <= self._places.keys():
            self._places = {adapter: place for place, adapter in enumerate(wanted)}
            self._layers = {}
        return self._places

    def layer(self, path: str) -> _JoinedLayer | None:
        """Return the parts for the linear layer of this path; None if no adapter changes it."""
        if path not in self._layers:
            self._layers[path] = self._join(path)
        return self._layers[path]

    def _join(self, path: str) -> _JoinedLayer | None:
        parts = {
            place: adapter.layers[path]
            for adapter, place in self._places.items()
            if isinstance(adapter, LoraAdapter) and path in adapter.layers
        }
        if not parts:
            return None
        return _JoinedLayer(
            torch.cat([part.down for part in parts.values()]),
            torch.cat([part.up for part in parts.values()], dim=1),
            tuple(place for place, part in parts.items() for _ in range(len(part.down))),
        )


# Rows up to which joined adapters pay: each row is multiplied with the parts of all of them.
_MAX_JOINED_ROWS: Final = 64


class AdaptedRows:
    """The rows of a batch by their adapter; rows without one are in no group."""

    def __init__(
        self, adapters: Sequence[Adapter | None], device: torch.device, joined: JoinedAdapters
    ) -> None:
        """adapters: that of each row, at least one of them not None. joined: kept from batch to batch."""
        self.num_rows = len(adapters)
        self._device = device
        rows: dict[Adapter, list[int]] = {}
        for row, adapter in enumerate(adapters):
            if adapter is not None:
                rows.setdefault(adapter, []).append(row)
        self._groups = []
        self._joined: JoinedAdapters | None = None
        self._places: list[int] = []
        self._others: dict[tuple[int, ...], Tensor] = {}
        if len(rows) > 1 and self.num_rows <= _MAX_JOINED_ROWS:
            places = joined.cover(rows)
            self._joined = joined
            self._places = [-1 if adapter is None else places[adapter] for adapter in adapters]
            return
        for adapter, its in rows.items():
            if isinstance(adapter, LoraAdapter):
                is_all = len(its) == self.num_rows
                self._groups.append(_Group(adapter, None if is_all else upload(its, device, torch.int64)))

    def add(self, path: str, rows: Tensor, output: Tensor) -> None:
        """Add the adapters' part to the outputs of a linear layer, in place.

        path: the layer's. rows: its input, [1, num_rows, in_features]. output: [1, num_rows, out_features].
        """
        assert rows.shape[:-1] == output.shape[:-1] == (1, self.num_rows), "a layer is given other rows"
        if self._joined is not None:
            self._add_joined(self._joined.layer(path), rows[0], output[0])
            return
        for adapter, its in self._groups:
            if (layer := adapter.layers.get(path)) is None:
                continue
            if its is None:
                output[0] += (rows[0] @ layer.down.T) @ layer.up.T
            else:
                output[0].index_add_(0, its, (rows[0, its] @ layer.down.T) @ layer.up.T)

    def _add_joined(self, layer: _JoinedLayer | None, rows: Tensor, output: Tensor) -> None:
        if layer is None:
            return
        # Not multiplied with zero: what overflows by one adapter must not reach another's rows as NaN.
        reduced = (rows @ layer.down.T).masked_fill_(self._others_of(layer.owners), 0.0)
        output += reduced @ layer.up.T

    def _others_of(self, owners: tuple[int, ...]) -> Tensor:
        """Return bool [num_rows, len(owners)]: whether a rank is of another adapter than that of the row."""
        if owners not in self._others:
            own = upload(self._places, self._device, torch.int64)
            self._others[owners] = own[:, None] != upload(owners, self._device, torch.int64)
        return self._others[owners]


# None if no row of the batch has an adapter.
current_adapters: ContextVar[AdaptedRows | None] = ContextVar("current_adapters", default=None)
