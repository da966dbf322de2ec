"""The comparison of layers that round their rows with the layers that they replace."""

from collections.abc import Iterator
from typing import Any, Final

import torch
from torch import Tensor, nn

from engine.linear.channel_scales import channel_blocks
from engine.linear.merged_linear import JoinedLinear
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.linear.unread_linear import UnreadLinear
from engine.native.structures import PANEL_OUTPUTS

_FEW_ROWS: Final = 4
# Compiled code has a function of its own for each number of rows up to 12 at most; of more it makes blocks.
_ROW_COUNTS: Final = range(1, 14)
_FEWEST_NUMBERS: Final = 64  # of a panel, by which its difference is judged
_PANELS_OF_END: Final = 64  # which are tried with each number of rows, the last and partial one among them


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

        A panel of 32 outputs counts half of its own difference, so that a single wrong one is noticed among
        any number of others. most: what the caller allows.
        """
        linears = plain.linears if isinstance(plain, JoinedLinear) else (plain,)
        dtype = _dtype_of(linears[0])
        form = type(rounded), rounded.packed.groups, dtype
        shape = form, rounded.in_features, rounded.out_features
        is_first_of_form = form not in self._forms
        generator = torch.Generator().manual_seed(0)
        num_rows = max(_ROW_COUNTS) if is_first_of_form else _FEW_ROWS
        rows = torch.randn(num_rows, plain.in_features, generator=generator).to(dtype)
        expected, places = _expected(linears, rows, is_whole=shape not in self._shapes)
        actual, mean = rounded(rows).float()[:, places], expected.square().mean()
        differences = [_difference(actual, expected), _of_panels(actual, expected, places, mean) / 2]
        if is_first_of_form:  # so all outputs are expected
            end, first = _end_of(rounded)
            differences += [
                _of_panels(end(rows[:num]).float(), expected[:num, first:], places[first:], mean) / 2
                for num in _ROW_COUNTS
            ]
        largest = float(torch.stack(differences).amax())  # NaN if there is one
        if largest <= most:
            self._forms.add(form)
            self._shapes.add(shape)
        return largest


def _end_of(rounded: RoundedLinear) -> tuple[RoundedLinear, int]:
    """Return a layer of a large one's last panels, and the first of its outputs."""
    packed = rounded.packed
    num_panels = -(-packed.num_outputs // PANEL_OUTPUTS)
    first = max(0, num_panels - _PANELS_OF_END)
    if not first:
        return rounded, 0
    outputs = first * PANEL_OUTPUTS
    part = packed._replace(
        num_outputs=packed.num_outputs - outputs,
        panels=packed.panels.view(num_panels, -1)[first:].flatten(),
        scales=None if packed.scales is None else packed.scales[outputs:],
        bias=packed.bias[outputs:],
    )
    return type(rounded)(part), outputs


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


def _difference(actual: Tensor, expected: Tensor) -> Tensor:
    """Return the relative difference of all outputs."""
    smallest = torch.finfo(torch.float32).tiny  # for a layer of zeros, whose outputs are zeros
    error = (actual - expected).square().sum()
    return (error / expected.square().sum().clamp(min=smallest)).sqrt()


def _of_panels(actual: Tensor, expected: Tensor, places: Tensor, mean: Tensor) -> Tensor:
    """Return the largest relative difference of a panel's outputs.

    actual, expected: [num_rows, n]. places: which outputs they are, [n]. mean: of the squares of a layer's
    outputs. A difference is relative to a panel's own numbers, or to as many of the layer's where its own are
    smaller, since a single number may be any part of what it is the sum of.
    """
    numbers = torch.stack([(actual - expected).square(), expected.square(), torch.ones_like(expected)])
    panels = places // PANEL_OUTPUTS
    panels = panels - panels[0]
    sums = torch.zeros(3, int(panels.max()) + 1).index_add_(1, panels, numbers.sum(dim=1))
    errors, norms, counts = sums.unbind()
    of_layer = counts.clamp(min=_FEWEST_NUMBERS) * mean
    smallest = torch.finfo(torch.float32).tiny
    return (errors / torch.maximum(norms, of_layer).clamp(min=smallest)).amax().sqrt()
