"""The rounding of weights to integers of 4 to 8 bits, with a scale for each group of inputs, in torch."""

from collections.abc import Iterator
from functools import reduce
from typing import Final

import torch
from torch import Tensor

from engine.linear.channel_scales import channel_blocks
from engine.weights.grouped_weight import GroupBits, GroupedWeight, middle_of

# The number of the largest magnitude in a group becomes each of these in turn, and the one of the smallest
# error is taken; native/src/linear/grouped_weight.cpp has those of 4 bits, too, and the ranges.
_CANDIDATES: Final[dict[GroupBits, tuple[float, ...]]] = {
    4: (-8.0, -7.75, -7.5, -7.25, -7.0, -6.75, -8.25, -8.5, -8.75),
    5: (-16.0,),
    6: (-32.0,),
    8: (127.0,),
}
# The range of a group becomes each of these numbers of steps in turn.
_RANGES: Final[dict[GroupBits, tuple[float, ...]]] = {
    4: (15.0, 14.5, 14.0, 15.5, 16.0),
    5: (31.0,),
    6: (63.0,),
    8: (254.0,),
}


def round_to_groups(
    weight: Tensor, bits: GroupBits, group_size: int, *, symmetric: bool = True
) -> GroupedWeight:
    """Return a weight [num_outputs, num_inputs] of any float type, rounded.

    Each group has the scale, of a few, that gives the smallest sum of squared errors. The first of several
    equal ones counts.
    """
    parts = []
    for block in _grouped_blocks(weight, group_size):
        values, scales, mins = _round_symmetric(block, bits) if symmetric else _round_between(block, bits)
        parts.append(GroupedWeight(values, scales, mins, group_size, bits))
    return GroupedWeight.concatenated(parts)


def _grouped_blocks(weight: Tensor, group_size: int) -> Iterator[Tensor]:
    """Yield the weight as float32 [n, num_groups, group_size], some outputs at a time."""
    for rows in channel_blocks(weight):
        yield weight[rows].float().reshape(rows.stop - rows.start, -1, group_size)


def _round_symmetric(groups: Tensor, bits: GroupBits) -> tuple[Tensor, Tensor, None]:
    """Return values and scales of groups [n, num_groups, group_size].

    For given values, the scale of the smallest squared error is the sum of their products with the numbers,
    divided by that of their squares, and the error is smaller by the square of the first divided by the
    second.
    """
    lowest, highest = (-127, 127) if bits == 8 else (-middle_of(bits), middle_of(bits) - 1)
    least, most = groups.amin(dim=-1, keepdim=True), groups.amax(dim=-1, keepdim=True)
    extreme = torch.where(-least > most, least, most)
    best_score, best_scale = torch.zeros_like(extreme), torch.zeros_like(extreme)
    for candidate in _CANDIDATES[bits]:
        # A number divided by a tensor would be rounded twice: torch multiplies by the reciprocal.
        inverse = torch.where(extreme == 0, 0.0, torch.full_like(extreme, candidate) / extreme)
        values = (groups * inverse).round_().clamp_(lowest, highest)
        product, square = _sum_in_order(groups * values), _sum_in_order(values * values)
        score = torch.where(square > 0, product * product / square, 0.0)
        is_better = score > best_score
        best_score = torch.where(is_better, score, best_score)
        best_scale = torch.where(is_better, product / square, best_scale)
    scales = best_scale.half()
    values = (groups * _inverse(scales.float())).round_().clamp_(lowest, highest).flatten(1)
    values = values.to(torch.int8) if bits == 8 else (values + middle_of(bits)).to(torch.uint8)
    return values, scales.squeeze(-1), None


def _sum_in_order(numbers: Tensor) -> Tensor:
    """Return the sum over the last dimension, which is kept, in the order in which compiled code adds."""
    first, *others = numbers.unbind(-1)
    return reduce(torch.add, others, first).unsqueeze(-1)


def _round_between(groups: Tensor, bits: GroupBits) -> tuple[Tensor, Tensor, Tensor]:
    """Return values, scales and mins of groups [n, num_groups, group_size].

    For given values, the scale and the min of the smallest squared error are those of the line through the
    numbers (least squares), and the error is smaller by the square of the covariance divided by the variance
    of the values. Numbers are counted from the least of them, which leaves their digits to what they differ
    by.
    """
    lowest, highest = (-127, 127) if bits == 8 else (0, (1 << bits) - 1)
    least, most = groups.amin(dim=-1, keepdim=True), groups.amax(dim=-1, keepdim=True)
    numbers, spread, size = groups - least, most - least, groups.shape[-1]
    total = _sum_in_order(numbers)
    best_score, best_scale, best_sum = (torch.zeros_like(least) for _ in range(3))
    for num_steps in _RANGES[bits]:
        inverse = torch.where(spread == 0, 0.0, torch.full_like(spread, num_steps) / spread)
        begin = (lowest + highest - num_steps) / 2
        values = (numbers * inverse).add_(begin).round_().clamp_(lowest, highest)
        value_sum = _sum_in_order(values)
        covariance = _sum_in_order(numbers * values) * size - total * value_sum
        variance = _sum_in_order(values * values) * size - value_sum * value_sum
        score = torch.where(variance > 0, covariance * covariance / variance, 0.0)
        is_better = score > best_score
        best_score = torch.where(is_better, score, best_score)
        best_scale = torch.where(is_better, covariance / variance, best_scale)
        best_sum = torch.where(is_better, value_sum, best_sum)
    scales = best_scale.half()
    mins = (least + (total - scales.float() * best_sum) / size).half()
    values = ((groups - mins.float()) * _inverse(scales.float())).round_().clamp_(lowest, highest).flatten(1)
    return values.to(torch.int8 if bits == 8 else torch.uint8), scales.squeeze(-1), mins.squeeze(-1)


def _inverse(scales: Tensor) -> Tensor:
    """Return 1 / scales; 0 for a scale of 0."""
    return torch.where(scales == 0, 0.0, 1 / scales)
