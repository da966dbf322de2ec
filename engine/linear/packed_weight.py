"""A linear layer's weight as compiled code takes it, apart from the layer that it came from."""

from typing import NamedTuple

from torch import Tensor

from engine.weights.grouped_weight import GroupForm


class PackedWeight(NamedTuple):
    """A weight in panels.

    panels: as native/src/linear/panels.h or, for layers that round their rows, int8_panels.h and
    grouped_panels.h describe them. scales: float32, of int8 panels; None for others. bias: float32. Both are
    padded to whole panels. groups: the form of panels in groups; None for others. order: as of
    `GroupedWeight`.
    """

    num_outputs: int
    num_inputs: int
    panels: Tensor
    scales: Tensor | None
    bias: Tensor
    groups: GroupForm | None = None
    order: Tensor | None = None
