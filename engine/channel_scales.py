"""How weights of linear layers are rounded to 8 bits."""

from torch import Tensor

_SMALLEST = 1e-30  # of a channel of zeros, which stays one


def channel_scales(weight: Tensor) -> Tensor:
    """What 1 stands for in each output channel: its largest magnitude becomes 127.

    weight: float32 [num_outputs, num_inputs] -> [num_outputs]
    """
    return (weight.abs().amax(dim=1) / 127).clamp_(min=_SMALLEST)


def round_channels(weight: Tensor, scales: Tensor) -> Tensor:
    """float32 [num_outputs, num_inputs] in units of the channels' scales: whole numbers from -127 to 127."""
    return (weight / scales[:, None]).round_().clamp_(-127, 127)
