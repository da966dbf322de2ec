"""Linear layers whose weights have a scale for each group of inputs, for `quantize="int4"`.

Weights keep 4 or 8 bits in memory. Activations are rounded at each call to 8 bits, with a scale for each row,
as those of layers with 8 bits are. A token needs a quarter and an eighth of the memory reads of bfloat16 with
weights of 4 bits in groups of 32.
"""

from typing import Self

from torch import Tensor, nn
from typing_extensions import override

from engine.linear.packed_weight import PackedWeight
from engine.linear.rounded.compiled_weight import CompiledWeight
from engine.linear.rounded.grouped_panels import GroupedPanels
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.weights.grouped_weight import ROUNDED_FORM, GroupedWeight


class GroupedLinear(RoundedLinear):
    """A layer whose weight is in groups.

    A plain layer, whose inputs must be whole groups, gets `ROUNDED_FORM`.
    """

    @classmethod
    def of(cls, weight: GroupedWeight, bias: Tensor | None) -> Self:
        """Return a layer with this weight as it is. bias: [num_outputs]."""
        return cls(GroupedPanels.of(weight, bias))

    @classmethod
    @override
    def can_round(cls, num_inputs: int) -> bool:
        return num_inputs % ROUNDED_FORM.group_size == 0

    @classmethod
    @override
    def _rounded(cls, linear: nn.Linear) -> GroupedPanels:
        assert cls.can_round(linear.in_features), linear.in_features
        return GroupedPanels.rounded(linear.weight.detach(), linear.bias)

    @classmethod
    @override
    def _of_packed(cls, packed: PackedWeight) -> CompiledWeight:
        return GroupedPanels(packed)
