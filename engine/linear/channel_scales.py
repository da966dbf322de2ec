"""The rounding of linear layers' weights to 8 bits, with a scale for each output channel."""

from collections.abc import Iterator

import torch
from torch import Tensor

_SMALLEST = 1e-30  # the scale of a channel of zeros
_WEIGHTS_AT_ONCE = 1 << 20  # as float32 these fit the caches, and need no new memory each time
_ROWS_AT_ONCE = 32  # or a multiple of it: the rows of a panel of compiled code


def channel_scales(weight: Tensor) -> Tensor:
    """Return the scale of each output channel, by which its largest magnitude becomes 127.

    weight: [num_outputs, num_inputs] of any float type. Returns float32 [num_outputs].
    """
    largest = [weight[rows].float().abs().amax(dim=1) for rows in _blocks(weight)]
    return (torch.cat(largest) / 127).clamp_(min=_SMALLEST)


def round_channels(weight: Tensor, scales: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """Yield the rounded weight, some channels at a time; arguments as in `channel_scales`.

    Each item is a slice of channels, whose start is a multiple of 32, and their integers from -127 to 127 as
    float32 [n, num_inputs].
    """
    for rows in _blocks(weight):
        yield rows, (weight[rows].float() / scales[rows, None]).round_().clamp_(-127, 127)


def _blocks(weight: Tensor) -> Iterator[slice]:
    num_outputs, num_inputs = weight.shape
    step = max(_WEIGHTS_AT_ONCE // num_inputs // _ROWS_AT_ONCE, 1) * _ROWS_AT_ONCE
    for first in range(0, num_outputs, step):
        yield slice(first, min(first + step, num_outputs))
