"""The rounding of linear layers' weights to 8 bits, with a scale for each output channel, in torch."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from engine.native.structures import PANEL_OUTPUTS

_SMALLEST = 1e-30  # the scale of a channel of zeros
_WEIGHTS_AT_ONCE = 1 << 20  # as float32 these fit the caches, and need no new memory each time


def channel_scales(weight: Tensor) -> Tensor:
    """The oracle of `native_scales`: the scale of each output channel, by which its largest magnitude becomes
    127.

    weight: [num_outputs, num_inputs] of any float type. Returns float32 [num_outputs].
    """
    largest = [weight[rows].float().abs().amax(dim=1) for rows in channel_blocks(weight)]
    return scales_of_largest(torch.cat(largest))


def scales_of_largest(largest: Tensor) -> Tensor:
    """Return the scales of channels by their largest magnitudes, both float32 [num_outputs]."""
    return (largest / 127).clamp_(min=_SMALLEST)


def round_channels(weight: Tensor, scales: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """The oracle of `native_panels`: yield the rounded weight, some channels at a time.

    Each item is a slice of channels, whose start is a multiple of 32, and their integers from -127 to 127 as
    float32 [n, num_inputs].
    """
    for rows in channel_blocks(weight):
        yield rows, (weight[rows].float() / scales[rows, None]).round_().clamp_(-127, 127)


def whole_panels(numbers: Tensor) -> Tensor:
    """Return numbers of output channels as float32, padded with zeros to whole panels of compiled code."""
    return nn.functional.pad(numbers.detach().float(), (0, -len(numbers) % PANEL_OUTPUTS)).contiguous()


def channel_blocks(weight: Tensor) -> Iterator[slice]:
    """Yield slices of a weight's channels of about a million numbers; each starts at a multiple of 32."""
    num_outputs, num_inputs = weight.shape
    step = max(_WEIGHTS_AT_ONCE // num_inputs // PANEL_OUTPUTS, 1) * PANEL_OUTPUTS
    for first in range(0, num_outputs, step):
        yield slice(first, min(first + step, num_outputs))
