"""Linear layers whose weights have a scale for each group of inputs, for `quantize="int4"` and its like.

Weights keep 4, 5, 6 or 8 bits in memory. Activations are rounded at each call to 8 bits, with a scale for
each row, as those of layers with 8 bits are. A token needs 28% of the memory reads of bfloat16 with weights
of 4 bits in groups of 32; larger groups need less, and mins more.
"""

from typing import Self

from torch import Tensor, nn
from typing_extensions import override

from engine.linear.packed_weight import PackedWeight
from engine.linear.rounded.compiled_weight import CompiledWeight
from engine.linear.rounded.grouped_panels import GroupedPanels
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.weights.grouped_weight import ROUNDED_FORMS, GroupedWeight, GroupForm


class GroupedLinear(RoundedLinear):
    """A layer whose weight is in groups.

    A plain layer gets the form of `quantize="int4"`; its inputs must be whole groups.
    """

    @classmethod
    def of(cls, weight: GroupedWeight, bias: Tensor | None) -> Self:
        """Return a layer with this weight as it is. bias: [num_outputs]."""
        return cls(GroupedPanels.of(weight, bias))

    @classmethod
    def rounded_to(cls, form: GroupForm, linear: nn.Linear) -> Self:
        """Return a plain layer whose inputs are whole groups, rounded to a form of 4 bits."""
        return cls(GroupedPanels.rounded(linear.weight.detach(), linear.bias, form))

    @classmethod
    @override
    def _rounded(cls, linear: nn.Linear) -> GroupedPanels:
        return GroupedPanels.rounded(linear.weight.detach(), linear.bias, ROUNDED_FORMS["int4"])

    @classmethod
    @override
    def _of_packed(cls, packed: PackedWeight) -> CompiledWeight:
        return GroupedPanels(packed)
