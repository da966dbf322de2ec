"""The memory of the state slots: for each tensor of a state, one that holds those of all slots."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers.cache_utils import Cache, DummyLayer, LinearAttentionLayer

from engine.attention.kv_cache.pages import zeros
from engine.state.geometry import StateGeometry, StateTensor


class StateStore:
    """The recurrent states of all slots (`engine/scheduling/state_slots.py`)."""

    def __init__(self, geometry: StateGeometry, num_slots: int, device: torch.device) -> None:
        self.num_slots = num_slots
        self._layers: dict[int, list[tuple[StateTensor, Tensor]]] = {}
        for tensor in geometry.tensors:
            slots = zeros((num_slots, *tensor.shape), tensor.dtype, device)
            self._layers.setdefault(tensor.layer, []).append((tensor, slots))

    def copy(self, copies: Sequence[tuple[int, int]]) -> None:
        """Copy slots in all layers, in this order; copies: pairs of (source, destination)."""
        for layer in self._layers.values():
            for _, slots in layer:
                for source, destination in copies:
                    slots[destination].copy_(slots[source])

    def copy_layer(self, layer: int, source: int, destination: int) -> None:
        """Copy a slot in one layer."""
        for _, slots in self._layers[layer]:
            slots[destination].copy_(slots[source])

    def of_slot(self, layer: int, slot: int, *, is_fresh: bool) -> Cache:
        """Return a cache of one sequence that a module of this layer reads and writes in place.

        is_fresh: whether the sequence begins, so that what the slot holds is not its state.
        """
        states = [(tensor, slots[slot : slot + 1]) for tensor, slots in self._layers[layer]]
        if is_fresh:
            for _, state in states:
                state.zero_()
        return _cache(layer, states, has_state=not is_fresh)

    def gather(self, layer: int, slots: Tensor) -> Cache:
        """Return a cache with copies of the states of several sequences. slots: int64 [num_sequences]."""
        return _cache(layer, [(t, held.index_select(0, slots)) for t, held in self._layers[layer]], True)

    def scatter(self, layer: int, slots: Tensor, cache: Cache) -> None:
        """Write back what a module has made of a gathered cache."""
        for tensor, held in self._layers[layer]:
            held.index_copy_(0, slots, getattr(cache.layers[layer], tensor.kind)[tensor.index])


def _cache(layer: int, states: list[tuple[StateTensor, Tensor]], has_state: bool) -> Cache:
    """Return transformers' cache with these states, [num_sequences, *shape] each, in one layer."""
    held = LinearAttentionLayer(number_of_states=1 + max(tensor.index for tensor, _ in states))
    for tensor, state in states:
        getattr(held, tensor.kind)[tensor.index] = state
        getattr(held, f"is_{tensor.kind}_initialized")[tensor.index] = True
        held.has_previous_state[tensor.index] = has_state
        if tensor.kernel_size is not None:
            held.conv_kernel_size[tensor.index] = tensor.kernel_size
    no_layer: Any = DummyLayer  # transformers does not annotate it
    return Cache(layers=[*(no_layer() for _ in range(layer)), held])
