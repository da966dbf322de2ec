"""The shapes of a model's recurrent state, tensor by tensor."""

import math
from typing import Literal

import msgspec
import torch

# The two dictionaries of transformers' cache layer that hold a state.
StateKind = Literal["conv_states", "recurrent_states"]


class StateTensor(msgspec.Struct, frozen=True):
    """One tensor of the state of a layer.

    layer: the layer's index in transformers' cache. index: the tensor's within its kind, where a layer has
    several. shape, dtype: those for one sequence. kernel_size: of a convolution, the steps that it sees.
    """

    layer: int
    kind: StateKind
    index: int
    shape: tuple[int, ...]
    dtype: torch.dtype
    kernel_size: int | None = None

    @property
    def num_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


class StateGeometry(msgspec.Struct, frozen=True):
    tensors: tuple[StateTensor, ...]

    @property
    def slot_bytes(self) -> int:
        """The number of bytes that the state of one sequence takes in all layers."""
        return sum(tensor.num_bytes for tensor in self.tensors)
