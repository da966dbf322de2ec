"""Linear layers of bfloat16 by compiled code, for all processors without AMX, where oneDNN is faster.

Weights keep 16 bits in memory. Processors with AVX-512 BF16 multiply them as they are; on others they become
float32 in registers, as rows do beforehand (native/src/linear/widened_panels.h).
"""

import ctypes

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.linear.channel_scales import channel_scales, round_channels
from engine.native.huge_pages import empty_tensor
from engine.native.library import compiled
from engine.native.structures import PANEL_OUTPUTS, LinearCall

_OUTPUTS_AT_ONCE = 32 * PANEL_OUTPUTS  # the number of outputs that are packed in place at once
# A product of fewer weights is done before a second thread has started.
_FEWEST_WEIGHTS_A_THREAD = 1 << 15


class Panels(nn.Module):
    """A linear layer of bfloat16 for inference. Requires `has_compiled_bfloat16()`.

    panels: the weight [num_outputs, num_inputs] as native/src/linear/panels.h describes it, of
    bfloat16, or of int8 with scales. scales, bias: float32, padded with zeros to whole panels.
    """

    def __init__(
        self, weight: Tensor, scales: Tensor | None, bias: Tensor | None, *, in_place: bool = False
    ) -> None:
        """Pack the weight. in_place: whether the panels may overwrite it, as nothing else needs it."""
        super().__init__()
        self.out_features, self.in_features = weight.shape
        self.panels = _pack(weight, in_place=in_place)
        self.scales = None if scales is None else _whole_panels(scales)
        self.bias = _whole_panels(torch.zeros(self.out_features) if bias is None else bias.detach())

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs [..., out_features] of rows [..., in_features], all bfloat16."""
        assert rows.dtype == torch.bfloat16 and rows.shape[-1] == self.in_features, rows.shape
        output = rows.new_empty(*rows.shape[:-1], self.out_features)
        flat = rows.reshape(-1, self.in_features)
        if flat.stride(1) != 1:
            flat = flat.contiguous()
        call = LinearCall(
            flat.data_ptr(),
            self.panels.data_ptr(),
            None if self.scales is None else self.scales.data_ptr(),
            self.bias.data_ptr(),
            output.data_ptr(),
            len(flat),
            flat.stride(0),
            self.in_features,
            self.out_features,
            _num_threads(self.in_features * self.out_features),
        )
        compiled().verbatim_linear(ctypes.byref(call))
        return output


class PanelLinear(Panels):
    """A replacement of `nn.Linear`, with its weight in bfloat16."""

    def __init__(self, linear: nn.Linear, *, in_place: bool = False) -> None:
        """Pack the layer's weight. in_place: as in `Panels`."""
        super().__init__(linear.weight.detach(), None, linear.bias, in_place=in_place)


class Int8PanelLinear(Panels):
    """A replacement of `nn.Linear` with an int8 weight and a scale for each output; rows are not rounded.

    It reads half the bytes, and only rounding the weight loses precision. Many rows take a sixth longer.
    """

    def __init__(self, linear: nn.Linear) -> None:
        weight = linear.weight.detach()
        scales = channel_scales(weight)
        rounded = torch.empty_like(weight, dtype=torch.int8)
        for rows, numbers in round_channels(weight, scales):
            rounded[rows] = numbers
        super().__init__(rounded, scales, linear.bias)


def _pack(weight: Tensor, *, in_place: bool) -> Tensor:
    """Return the panels of a weight [num_outputs, num_inputs], concatenated."""
    num_outputs, num_inputs = weight.shape
    size = compiled().verbatim_panels_size
    size.restype = ctypes.c_int64
    num_numbers = size(ctypes.c_int64(num_outputs), ctypes.c_int64(num_inputs))
    if in_place and weight.is_contiguous() and num_numbers == weight.numel():
        # A panel then takes exactly the memory of its outputs.
        for first in range(0, num_outputs, _OUTPUTS_AT_ONCE):
            rows = weight[first : first + _OUTPUTS_AT_ONCE]
            _pack_into(rows, rows.clone())
        return weight.view(-1)
    panels = empty_tensor((num_numbers,), weight.dtype)
    _pack_into(panels, weight if weight.stride(1) == 1 else weight.contiguous())
    return panels


def _pack_into(panels: Tensor, weight: Tensor) -> None:
    compiled().verbatim_pack_linear(
        ctypes.c_void_p(weight.data_ptr()),
        ctypes.c_int32(weight.itemsize),
        *map(ctypes.c_int64, (weight.stride(0), *weight.shape)),
        ctypes.c_void_p(panels.data_ptr()),
        ctypes.c_int32(torch.get_num_threads()),
    )


def _whole_panels(numbers: Tensor) -> Tensor:
    """Return the numbers as float32, padded with zeros to whole panels."""
    return nn.functional.pad(numbers.float(), (0, -len(numbers) % PANEL_OUTPUTS))


def _num_threads(num_weights: int) -> int:
    return min(torch.get_num_threads(), 1 + num_weights // _FEWEST_WEIGHTS_A_THREAD)
