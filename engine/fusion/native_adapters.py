"""The adapters of a step's rows in the form that compiled decoder layers take."""

import ctypes
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import nn

from engine.fusion.layer_parts import LayerParts
from engine.model.adapters import LoraAdapter
from engine.native.structures import NUM_LAYER_PRODUCTS, UP_OUTPUTS, AdapterFields, LowRankFields
from engine.port.info.adapter import Adapter


class _Place(NamedTuple):
    """A linear layer that adapters may change, and which outputs of a layer's product are its own."""

    path: str
    num_inputs: int
    first_output: int
    num_outputs: int


class _Prepared(NamedTuple):
    """An adapter's structure, and the arrays that it has the addresses of."""

    fields: AdapterFields
    changes: ctypes.Array[LowRankFields]
    firsts: "ctypes.Array[ctypes.c_int64]"


class NativeAdapters:
    """Adapters by the products of some decoder layers, each prepared when a step first has it.

    What is prepared holds addresses of an adapter's weights, and is kept as long as the adapter.
    """

    def __init__(self, layers: Sequence[LayerParts], paths: Mapping[nn.Module, str]) -> None:
        """Find the products. paths: the paths of the linear layers that adapters may change."""
        self._products = [list(_places(linears, paths)) for parts in layers for linears in parts.linears]
        assert len(self._products) == len(layers) * NUM_LAYER_PRODUCTS
        self._prepared: WeakKeyDictionary[LoraAdapter, _Prepared] = WeakKeyDictionary()

    def of_rows(self, adapters: Sequence[Adapter | None]) -> "ctypes.Array[ctypes.c_void_p]":
        """Return the address of each row's adapter, null for none; valid as long as the adapters are."""
        return (ctypes.c_void_p * len(adapters))(*map(self._address, adapters))

    def _address(self, adapter: Adapter | None) -> int | None:
        if not isinstance(adapter, LoraAdapter):
            return None
        if (prepared := self._prepared.get(adapter)) is None:
            prepared = self._prepared[adapter] = self._prepare(adapter)
        return ctypes.addressof(prepared.fields)

    def _prepare(self, adapter: LoraAdapter) -> _Prepared:
        products = [
            [_change(adapter, place) for place in places if place.path in adapter.layers]
            for places in self._products
        ]
        changes = [change for product in products for change in product]
        prepared = _Prepared(
            AdapterFields(most_ranks=max(sum(change.rank for change in product) for product in products)),
            (LowRankFields * len(changes))(*changes),
            (ctypes.c_int64 * (len(products) + 1))(*accumulate(map(len, products), initial=0)),
        )
        prepared.fields.changes = ctypes.addressof(prepared.changes)
        prepared.fields.firsts = ctypes.addressof(prepared.firsts)
        return prepared


def _places(linears: Sequence[Any], paths: Mapping[nn.Module, str]) -> list[_Place]:
    """Return the places of linear layers whose outputs lie side by side, without those of no path.

    linears: modules with `in_features` and `out_features`.
    """
    sizes = [(linear.in_features, linear.out_features) for linear in linears]
    firsts = accumulate((num_outputs for _, num_outputs in sizes), initial=0)
    return [
        _Place(paths[linear], num_inputs, first, num_outputs)
        for linear, (num_inputs, num_outputs), first in zip(linears, sizes, firsts, strict=False)
        if linear in paths
    ]


def _change(adapter: LoraAdapter, place: _Place) -> LowRankFields:
    down, up = adapter.layers[place.path]
    rank = len(down)
    assert down.shape == (rank, place.num_inputs)
    assert up.shape == (-(-place.num_outputs // UP_OUTPUTS), rank, UP_OUTPUTS)
    assert all(part.dtype == torch.bfloat16 and part.is_contiguous() for part in (down, up))
    return LowRankFields(down.data_ptr(), up.data_ptr(), rank, place.first_output, place.num_outputs)
