"""A weight as integers of a few bits, and a scale and a zero for each group of them."""

from typing import Final, NamedTuple

import torch
from torch import Tensor

from engine.model.loading.quantized.grouping import order_of_groups, to_groups
from engine.model.loading.quantized.scaled_blocks import check_groups, check_scales, scale_blocks
from engine.weights.grouped_weight import MIDDLE, GroupedWeight

_BYTE_MIDDLE: Final = 128


class GroupedCodes(NamedTuple):
    """The integers of a weight, which is (codes - zeros) * scales.

    codes: uint8, [num_outputs, num_inputs], below 2 ** bits. scales: of 16 or 32 bits, [num_outputs,
    num_groups]. zeros: uint8, of the same shape, or of one column for all. groups: the group of each input,
    [num_inputs]; None where groups are `group_size` inputs that follow one another.
    """

    codes: Tensor
    scales: Tensor
    zeros: Tensor
    bits: int
    group_size: int
    groups: Tensor | None

    def check(self) -> None:
        """Raise Malformed for scales that are not finite, or groups that do not exist."""
        check_scales(self.scales, "scales")
        if self.groups is not None:
            check_groups(self.groups, self.scales.shape[1])

    def dense(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight, [num_outputs, num_inputs]. Raises Malformed as `check` does."""
        self.check()
        groups = None if self.groups is None else self.groups.long()
        zeros = self.zeros.expand(self.scales.shape)
        return scale_blocks(self.codes, self.scales, (1, self.group_size), dtype, zeros=zeros, groups=groups)

    def to_groups(self) -> GroupedWeight:
        """Return the weight with the same integers, those of one group next to each other.

        Raises NotGrouped, and Malformed as `check` does.
        """
        self.check()
        order = None if self.groups is None else order_of_groups(self.groups, self.group_size)
        stored = self.codes
        if order is not None:
            stored = stored.gather(1, order.long().expand(stored.shape))  # index_select takes twice the time
        zeros = self.zeros.expand(self.scales.shape).to(torch.int16)
        if self.bits == 8:
            values = (stored ^ _BYTE_MIDDLE).view(torch.int8)
            groups = to_groups(values, self.scales, zeros - _BYTE_MIDDLE, self.group_size, 8)
            return groups._replace(order=order)
        shift = MIDDLE - (1 << (self.bits - 1))  # so that the middle of fewer bits becomes that of four
        codes = stored + shift if shift else stored
        return to_groups(codes, self.scales, zeros + shift, self.group_size, 4)._replace(order=order)
