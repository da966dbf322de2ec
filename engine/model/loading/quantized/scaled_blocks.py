"""Numbers times the scales of their blocks, in bounded memory."""

from typing import NamedTuple

import torch
from torch import Tensor

from engine.model.loading.quantized.grouping import to_groups
from engine.weights.grouped_weight import GroupBits, GroupedWeight, middle_of
from engine.weights.unread_weight import NotGrouped

_AT_ONCE = 1 << 22  # numbers that are computed in float32 at a time


class Malformed(Exception):
    """The error for contents that no quantization gives; the message says what is wrong with which part."""


def check_scales(scales: Tensor, name: str) -> None:
    """Raise Malformed for scales that hold NaN or infinity."""
    if not bool(torch.isfinite(scales.float()).all()):
        raise Malformed(f"its {name} hold NaN or infinity")


def check_groups(groups: Tensor, num_groups: int) -> None:
    """Raise Malformed for indexes of groups that do not exist."""
    lowest, highest = int(groups.min()), int(groups.max())
    if lowest < 0 or highest >= num_groups:
        wrong = lowest if lowest < 0 else highest
        raise Malformed(f"its g_idx names the group {wrong}, and there are {num_groups}")


class ScaledBlocks(NamedTuple):
    """Numbers of 8 bits, [..., num_rows, num_columns], and the scales and zeros of their blocks.

    scales: as many as there are blocks of `block` rows and columns, or one for all. zeros: None where all
    are 0. bits: as of the weight in groups that integers become; all lie from -8 to 7 where they are 4.
    """

    values: Tensor
    scales: Tensor
    block: tuple[int, int]
    zeros: Tensor | None = None
    bits: GroupBits = 8

    def check(self) -> None:
        """Raise Malformed for scales and zeros that are not finite."""
        check_scales(self.scales, "scales")
        if self.zeros is not None:
            check_scales(self.zeros, "zeros")

    def dense(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight, of as many dimensions. Raises Malformed as `check` does."""
        self.check()
        num_rows, num_columns = self.values.shape[-2:]
        matrices = self.values.reshape(-1, num_rows, num_columns)
        grid = -(-num_rows // self.block[0]), -(-num_columns // self.block[1])
        scales = self.scales.float().reshape(-1, *grid).expand(len(matrices), *grid)
        if len(matrices) == 1:
            zeros = self.zeros
            return scale_blocks(matrices[0], scales[0], self.block, dtype, zeros=zeros).view(
                self.values.shape
            )
        result = torch.empty(matrices.shape, dtype=dtype)
        for index, matrix in enumerate(matrices):
            result[index] = scale_blocks(matrix, scales[index], self.block, dtype)
        return result.view(self.values.shape)

    def to_groups(self) -> GroupedWeight:
        """Return a matrix of integers as it is. Raises NotGrouped, and Malformed as `check` does."""
        self.check()
        if self.values.dtype != torch.int8 or self.values.dim() != 2:
            raise NotGrouped("its numbers are no matrix of integers")
        num_rows, num_columns = self.values.shape
        grid = -(-num_rows // self.block[0]), -(-num_columns // self.block[1])

        def of_rows(numbers: Tensor) -> Tensor:
            return numbers.reshape(grid).repeat_interleave(self.block[0], dim=0)[:num_rows]

        values, zeros = self.values, None if self.zeros is None else of_rows(self.zeros)
        if middle := middle_of(self.bits):
            values = (values + middle).to(torch.uint8)
            zeros = torch.full((1, 1), middle) if zeros is None else zeros.float() + middle
        return to_groups(values, of_rows(self.scales), zeros, self.block[1], self.bits)


def scale_blocks(
    values: Tensor,
    scales: Tensor,
    block: tuple[int, int],
    dtype: torch.dtype,
    *,
    zeros: Tensor | None = None,
    offsets: Tensor | None = None,
    groups: Tensor | None = None,
) -> Tensor:
    """Return (values - zeros) * scales + offsets, computed in float32 and rounded once.

    values: [num_rows, num_columns]. scales, zeros, offsets: [num_row_blocks, num_column_blocks], for blocks
    of `block` rows and columns, of which the last may be smaller. groups: the column block of each column,
    [num_columns]; by default they follow one another.
    """
    num_rows, num_columns = values.shape
    rows = torch.arange(num_rows) // block[0]
    if groups is None and scales.shape[1] > 1:
        groups = torch.arange(num_columns) // block[1]
    result = torch.empty(num_rows, num_columns, dtype=dtype)
    step = max(1, _AT_ONCE // num_columns)
    for first in range(0, num_rows, step):
        part = slice(first, first + step)
        numbers = values[part].float()
        if zeros is not None:
            numbers -= _of_each(zeros, rows[part], groups)
        numbers *= _of_each(scales, rows[part], groups)
        if offsets is not None:
            numbers += _of_each(offsets, rows[part], groups)
        result[part] = numbers
    return result


def _of_each(of_blocks: Tensor, rows: Tensor, groups: Tensor | None) -> Tensor:
    """Return [len(rows), num_columns], or a single column for all where there is one block a row."""
    of_rows = of_blocks[rows].float()
    return of_rows if groups is None else of_rows[:, groups]
