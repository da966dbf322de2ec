"""A linear layer's weight in integers of 4 to 8 bits, with a scale for each group of inputs.

It is the form between what is on disk or rounded here, and the panels of compiled code. Checkpoints that are
quantised already become it without rounding, but for scales that float16 does not hold.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, Self, TypeAlias, get_args

import torch
from torch import Tensor

from engine.config import INT4_GROUPS
from engine.weights.finite import are_finite

GroupBits: TypeAlias = Literal[4, 5, 6, 8]
GROUP_BITS: Final[tuple[GroupBits, ...]] = get_args(GroupBits)
GROUP_SIZES: Final = (16, 32, 64, 128)
MIDDLE: Final = 8  # of integers of 4 bits without mins


def middle_of(bits: GroupBits) -> int:
    """Return the integer that stands for 0 in groups without mins."""
    return 0 if bits == 8 else 1 << (bits - 1)


def fewest_bits(bits: int, group_size: int) -> GroupBits:
    """Return the bits of the smallest integers in groups of this size that hold `bits`, which are 8 at most.

    Panels have the fifth bits of 32 inputs in one place, so that smaller groups have none of 5 bits.
    """
    return next(each for each in GROUP_BITS if each >= bits and (each != 5 or group_size >= 32))


class GroupForm(NamedTuple):
    """The form of a weight's groups. has_mins: whether each group has a min in addition to its scale."""

    bits: GroupBits
    group_size: int
    has_mins: bool

    def num_bytes(self, num_outputs: int, num_inputs: int) -> int:
        """Return the memory of a weight, with its integers packed."""
        num_scales = num_outputs * (num_inputs // self.group_size)
        return num_outputs * num_inputs * self.bits // 8 + 2 * num_scales * (1 + self.has_mins)

    def with_room_for(self, other: Self) -> Self:
        """Return the smallest form that holds weights of both without rounding."""
        group_size = min(self.group_size, other.group_size)
        return self._replace(
            bits=fewest_bits(max(self.bits, other.bits), group_size),
            group_size=group_size,
            has_mins=self.has_mins or other.has_mins,
        )


# The forms of what is rounded, by the names of `quantize`.
ROUNDED_FORMS: Final[Mapping[str, GroupForm]] = {
    name: GroupForm(4, group_size, has_mins) for name, (group_size, has_mins) in INT4_GROUPS.items()
}


class GroupedWeight(NamedTuple):
    """A weight [num_outputs, num_inputs]: scale * value + min, or without mins scale * (value - middle).

    values: [num_outputs, num_inputs], of 4 to 6 bits uint8 from 0 on, whose middle is half of their range (8
    of 0 to 15), and of 8 bits int8, whose middle is 0. scales, mins: float16 [num_outputs, num_groups]; mins
    is None for symmetric groups. group_size: 16, 32, 64 or 128 inputs, of which num_inputs is a multiple.
    order: int32 [num_inputs], the input that each column of values is multiplied with, where inputs of one
    group are apart; None where columns are the inputs in order.
    """

    values: Tensor
    scales: Tensor
    mins: Tensor | None
    group_size: int
    bits: GroupBits
    order: Tensor | None = None

    @property
    def num_outputs(self) -> int:
        """The number of outputs."""
        return self.values.shape[0]

    @property
    def num_inputs(self) -> int:
        """The number of inputs."""
        return self.values.shape[1]

    def check(self) -> None:
        """Raise ValueError unless shapes, types and values are as described, and all numbers finite."""
        num_groups, rest = divmod(self.num_inputs, self.group_size)
        if self.group_size not in GROUP_SIZES or rest or not num_groups:
            raise ValueError(f"{self.num_inputs} inputs are no whole groups of {self.group_size}")
        if fewest_bits(self.bits, self.group_size) != self.bits:
            raise ValueError(f"groups of {self.group_size} have no integers of {self.bits} bits")
        if self.values.dtype != (torch.int8 if self.bits == 8 else torch.uint8):
            raise ValueError(f"values of {self.bits} bits are not {self.values.dtype}")
        if self.order is not None and not _is_permutation(self.order, self.num_inputs):
            raise ValueError(f"the order of columns does not name each of {self.num_inputs} inputs once")
        most = (1 << self.bits) - 1
        if self.bits < 8 and self.values.numel() and int(self.values.max()) > most:
            raise ValueError(f"a value of {self.bits} bits exceeds {most}")
        for name, numbers in (("scales", self.scales), ("mins", self.mins)):
            if numbers is None:
                continue
            if numbers.dtype != torch.float16 or numbers.shape != (self.num_outputs, num_groups):
                raise ValueError(f"{name} are {numbers.dtype} {list(numbers.shape)}")
            if not are_finite(numbers):
                raise ValueError(f"{name} are not finite")

    def plain(self) -> Tensor:
        """Return the weight as float32 [num_outputs, num_inputs], with inputs in order."""
        values = self.values.float().view(self.num_outputs, -1, self.group_size)
        if self.mins is None and (middle := middle_of(self.bits)):
            values = values - middle
        columns = values * self.scales.float()[..., None]
        if self.mins is not None:
            columns += self.mins.float()[..., None]
        if self.order is None:
            return columns.flatten(1)
        return torch.empty_like(self.values, dtype=torch.float32).index_copy_(
            1, self.order.long(), columns.flatten(1)
        )

    def of_outputs(self, outputs: Tensor | slice) -> Self:
        """Return the weight of some outputs, in this order."""
        mins = None if self.mins is None else self.mins[outputs]
        return self._replace(values=self.values[outputs], scales=self.scales[outputs], mins=mins)

    @property
    def form(self) -> GroupForm:
        """The form of its groups."""
        return GroupForm(self.bits, self.group_size, self.mins is not None)

    def widened(self, form: GroupForm) -> Self:
        """Return the same weight in a form that has room for its own, without rounding."""
        assert self.form.with_room_for(form) == form, (self.form, form)
        times = self.group_size // form.group_size
        scales = self.scales.repeat_interleave(times, dim=1) if times > 1 else self.scales
        mins, values = self.mins, self.values
        if mins is not None:
            mins = mins.repeat_interleave(times, dim=1) if times > 1 else mins
        elif form.has_mins:
            mins = torch.zeros_like(scales) if form.bits == 8 else scales * -middle_of(self.bits)
        if form.bits == 8 > self.bits:
            values = values.to(torch.int8) - (middle_of(self.bits) if self.mins is None else 0)
        elif not form.has_mins and form.bits > self.bits:
            values = values + (middle_of(form.bits) - middle_of(self.bits))
        return self._replace(
            values=values, scales=scales, mins=mins, group_size=form.group_size, bits=form.bits
        )

    @classmethod
    def concatenated(cls, weights: Sequence[Self]) -> Self:
        """Return one weight with the outputs of all, in the smallest form that has room for each.

        All must have the same order.
        """
        if len(weights) == 1:  # without a copy
            return weights[0]
        assert all(is_same_order(weight.order, weights[0].order) for weight in weights)
        form = weights[0].form
        for weight in weights[1:]:
            form = form.with_room_for(weight.form)
        alike = [weight.widened(form) for weight in weights]
        mins = [weight.mins for weight in alike if weight.mins is not None]
        return alike[0]._replace(
            values=torch.cat([weight.values for weight in alike]),
            scales=torch.cat([weight.scales for weight in alike]),
            mins=torch.cat(mins) if mins else None,
        )


def is_same_order(first: Tensor | None, second: Tensor | None) -> bool:
    """Return whether two orders of inputs, or lists of the groups that they belong to, are the same."""
    if first is None or second is None:
        return first is second
    return torch.equal(first, second)


def _is_permutation(order: Tensor, num_inputs: int) -> bool:
    in_order = torch.arange(num_inputs, dtype=torch.int32)
    return order.dtype == torch.int32 and torch.equal(order.sort().values, in_order)
