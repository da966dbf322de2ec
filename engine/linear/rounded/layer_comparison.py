"""The comparison of layers that round their rows with the layers that they replace."""

from collections.abc import Iterator
from typing import Any, Final

import torch
from torch import Tensor, nn

from engine.linear.channel_scales import channel_blocks
from engine.linear.merged_linear import JoinedLinear
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.linear.unread_linear import UnreadLinear

_FEW_ROWS: Final = 4
# Compiled code has a function of its own for each number of rows up to 12 at most; of more it makes blocks.
_ROW_COUNTS: Final = range(1, 14)
_PANEL_OUTPUTS: Final = 32  # as of native/src/linear/panels.h


class LayerComparison:
    """Compares a model's layers, one after the other, with the layers that they replace.

    The first layer of each form (its kind, groups and the type of its rows) is tried with each number of
    rows for which compiled code has a function, and the first one of each shape with all of its outputs; of
    a later one whose weight is unread, outputs from all over it are compared for a few rows. A layer that
    differed is no first one: the next is compared as it was.
    """

    def __init__(self) -> None:
        self._forms: set[Any] = set()
        self._shapes: set[Any] = set()

    def difference(self, plain: nn.Linear | JoinedLinear, rounded: RoundedLinear, most: float) -> float:
        """Return the largest relative difference of the outputs for random rows; NaN if these hold NaN.

        A panel of 32 outputs counts half of its own difference, so that a single wrong one is noticed beside
        any number of others. most: what the caller allows.
        """
        linears = plain.linears if isinstance(plain, JoinedLinear) else (plain,)
        dtype = _dtype_of(linears[0])
        form = type(rounded), rounded.packed.groups, dtype
        shape = form, rounded.in_features, rounded.out_features
        row_counts = [_FEW_ROWS] if form in self._forms else _ROW_COUNTS
        generator = torch.Generator().manual_seed(0)
        rows = torch.randn(max(row_counts), plain.in_features, generator=generator).to(dtype)
        expected, places = _expected(linears, rows, is_whole=shape not in self._shapes)
        differences = [
            _difference(rounded(rows[:num_rows]).float()[:, places], expected[:num_rows], places)
            for num_rows in row_counts
        ]
        largest = float(torch.stack(differences).amax())  # NaN if there is one
        if largest <= most:
            self._forms.add(form)
            self._shapes.add(shape)
        return largest


def _dtype_of(linear: nn.Linear) -> torch.dtype:
    return linear.plain_dtype if isinstance(linear, UnreadLinear) else linear.weight.dtype


def _expected(linears: tuple[nn.Linear, ...], rows: Tensor, *, is_whole: bool) -> tuple[Tensor, Tensor]:
    """Return outputs [num_rows, n] as float32, and which of all outputs they are, [n]."""
    outputs, places = [], []
    before = 0
    for linear in linears:
        for first, output in _outputs(linear, rows, is_whole=is_whole):
            outputs.append(output.float())
            places.append(torch.arange(before + first, before + first + output.shape[-1]))
        before += linear.out_features
    return torch.cat(outputs, dim=-1), torch.cat(places)


def _outputs(linear: nn.Linear, rows: Tensor, *, is_whole: bool) -> Iterator[tuple[int, Tensor]]:
    """Yield outputs, some channels at a time, each with the first: torch copies a weight of 16 bits to
    multiply it.
    """
    if isinstance(linear, UnreadLinear):
        yield from linear.whole_outputs(rows) if is_whole else linear.sampled_outputs(rows)
        return
    bias: Tensor | None = linear.bias
    for block in channel_blocks(linear.weight):
        part = nn.functional.linear(rows, linear.weight[block], None if bias is None else bias[block])
        yield block.start, part


def _difference(actual: Tensor, expected: Tensor, places: Tensor) -> Tensor:
    """Return the larger of the whole's relative difference and of half of each panel's.

    actual, expected: [num_rows, n]. places: which outputs they are, [n]. A panel's difference is relative to
    its own numbers, or to as many of those of the whole where its own are smaller, as rounding may be.
    """
    squares = torch.stack([(actual - expected).square().sum(dim=0), expected.square().sum(dim=0)])
    squares = torch.cat([squares, torch.ones(1, len(places))])  # and how many outputs of a panel there are
    panels = places // _PANEL_OUTPUTS
    by_panel = torch.zeros(3, int(panels.max()) + 1).index_add_(1, panels, squares)
    errors, norms, counts = by_panel[:, by_panel[2] > 0]
    smallest = torch.finfo(torch.float32).tiny  # for a layer of zeros, whose outputs are zeros
    whole = errors.sum() / norms.sum().clamp(min=smallest)
    of_panels = errors / torch.maximum(norms, counts * norms.sum() / counts.sum()).clamp(min=smallest)
    return torch.maximum(whole.sqrt(), of_panels.amax().sqrt() / 2)
