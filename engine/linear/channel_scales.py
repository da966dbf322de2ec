"""How weights of linear layers are rounded to 8 bits."""

from collections.abc import Iterator

import torch
from torch import Tensor

_SMALLEST = 1e-30  # of a channel of zeros, which stays one
_WEIGHTS_AT_ONCE = 1 << 20  # whose float32 stay in the caches, and are not memory that is new each time
_ROWS_AT_ONCE = 32  # or a multiple of it: a panel of compiled code


def channel_scales(weight: Tensor) -> Tensor:
    """What 1 stands for in each output channel: its largest magnitude becomes 127.

    weight: of any float type, [num_outputs, num_inputs] -> float32 [num_outputs]
    """
    largest = [weight[rows].float().abs().amax(dim=1) for rows in _blocks(weight)]
    return (torch.cat(largest) / 127).clamp_(min=_SMALLEST)


def round_channels(weight: Tensor, scales: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """A weight as of `channel_scales` in units of its channels' scales, some channels at a time.

    Which, from a multiple of 32 on, and their whole numbers from -127 to 127, float32 [n, num_inputs].
    """
    for rows in _blocks(weight):
        yield rows, (weight[rows].float() / scales[rows, None]).round_().clamp_(-127, 127)


def _blocks(weight: Tensor) -> Iterator[slice]:
    num_outputs, num_inputs = weight.shape
    step = max(_WEIGHTS_AT_ONCE // num_inputs // _ROWS_AT_ONCE, 1) * _ROWS_AT_ONCE
    for first in range(0, num_outputs, step):
        yield slice(first, min(first + step, num_outputs))
