"""Integers, scales and zeros of quantized checkpoints, in the groups that compiled code multiplies."""

import torch
from torch import Tensor

from engine.weights.finite import are_finite
from engine.weights.grouped_weight import (
    GROUP_SIZES,
    GroupBits,
    GroupedWeight,
    GroupForm,
    fewest_bits,
    middle_of,
)
from engine.weights.unread_weight import NotGrouped


def group_form(bits: int, num_inputs: int, stored_size: int, *, is_symmetric: bool) -> GroupForm | None:
    """Return the form of a weight; None if no groups fit into the stored ones.

    bits: of its integers. stored_size: inputs of a stored group, of which the last may be smaller.
    """
    size = _group_size(num_inputs, stored_size)
    return None if size is None else GroupForm(fewest_bits(bits, size), size, not is_symmetric)


def to_groups(
    values: Tensor,
    scales: Tensor,
    zeros: Tensor | None,
    stored_size: int,
    bits: GroupBits,
    *,
    offsets: Tensor | None = None,
) -> GroupedWeight:
    """Return the weight (values - zeros) * scales + offsets.

    values: [num_outputs, num_inputs], as of `GroupedWeight`. scales, zeros, offsets: [num_outputs,
    num_stored_groups]; zeros and offsets are None where all are 0. Integers are kept; scales are rounded to
    float16, and so are offsets less zeros times scales, unless each zero is the middle and each offset 0.
    Raises NotGrouped for scales that are too large for float16.
    """
    size = _group_size(values.shape[1], stored_size)
    if size is None:
        raise NotGrouped(f"{values.shape[1]} inputs in groups of {stored_size} have no smaller ones")
    mins = None
    if zeros is None:
        zeros = torch.zeros(1, 1)
    if offsets is not None or bool((zeros != middle_of(bits)).any()):
        mins = -(zeros.float() * scales.float())
        mins = mins if offsets is None else mins + offsets.float()
    num_groups, times = values.shape[1] // size, stored_size // size

    def of_groups(numbers: Tensor) -> Tensor:
        halves = numbers.half()
        if not are_finite(halves):
            raise NotGrouped("its scales are too large for float16")
        return halves.repeat_interleave(times, dim=1)[:, :num_groups].contiguous()

    return GroupedWeight(
        values.contiguous(), of_groups(scales), None if mins is None else of_groups(mins), size, bits
    )


def order_of_groups(groups: Tensor, stored_size: int) -> Tensor | None:
    """Return the inputs by their stored groups, as of `GroupedWeight`; None if that is their own order.

    groups: the stored group of each input, [num_inputs]. Raises NotGrouped unless each has `stored_size`
    inputs, but for the last, which may have fewer.
    """
    in_order = torch.arange(len(groups)) // stored_size
    if torch.equal(groups.long(), in_order):
        return None
    by_group, order = groups.long().sort(stable=True)
    if not torch.equal(by_group, in_order):
        raise NotGrouped("its inputs are in the order of their activations, and its groups of several sizes")
    return order.int()


def _group_size(num_inputs: int, stored_size: int) -> int | None:
    """Return the largest size of groups that each lie in one stored group."""
    fitting = (size for size in reversed(GROUP_SIZES) if not num_inputs % size and not stored_size % size)
    return next(fitting, None)
