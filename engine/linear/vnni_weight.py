"""A linear layer's int8 weight for compiled code, which uses AVX-512 VNNI.

One call rounds the rows, multiplies, scales and adds the bias. Processors with AMX use VNNI too.
"""

import ctypes
from typing import Any

import torch
from torch import Tensor

from engine.kernels import Obstacle
from engine.linear.channel_scales import round_channels
from engine.native.huge_pages import empty_tensor
from engine.native.instructions import Instructions
from engine.native.library import compiled
from engine.native.obstacles import lacks_instructions, lacks_library
from engine.native.structures import PANEL_OUTPUTS, QUAD_INPUTS, WEIGHT_SHIFT, WeightFields

_FUNCTION = "verbatim_int8_linear"


class VnniWeight:
    """A weight that is rounded to 8 bits and packed in panels. Requires `has_vnni()`.

    weight: [num_outputs, num_inputs] of any float type. scales, bias: float32 [num_outputs]. fields: the
    structure that compiled code reads.
    """

    def __init__(self, weight: Tensor, scales: Tensor, bias: Tensor | None) -> None:
        self._num_outputs, num_inputs = weight.shape
        # Kept alive, since the structure has their addresses.
        self._tensors = (_panels(weight, scales), scales.contiguous(), bias)
        addresses = (None if tensor is None else tensor.data_ptr() for tensor in self._tensors)
        self.fields = WeightFields(*addresses, num_inputs, self._num_outputs)
        self._multiply = _function()

    def multiply(self, rows: Tensor) -> Tensor:
        """Return the product with rows [num_rows, num_inputs]: [num_rows, num_outputs] of their dtype."""
        if rows.dtype not in (torch.float32, torch.bfloat16):
            return self.multiply(rows.float()).to(rows.dtype)
        if rows.stride(1) != 1:
            rows = rows.contiguous()
        num_rows = len(rows)
        output = torch.empty(num_rows, self._num_outputs, dtype=rows.dtype)
        self._multiply(
            self.fields,
            rows.data_ptr(),
            rows.stride(0),
            num_rows,
            output.data_ptr(),
            rows.dtype == torch.bfloat16,
            torch.get_num_threads(),
        )
        return output


def vnni_obstacle() -> Obstacle | None:
    """Return the reason why compiled code does not multiply int8 weights; None if it does."""
    obstacle = lacks_instructions(Instructions.AVX512_VNNI) or lacks_library()
    if obstacle is not None or hasattr(compiled(), _FUNCTION):
        return obstacle
    return Obstacle("it was compiled for lesser instructions", is_lack=True)


def has_vnni() -> bool:
    """Return whether compiled code multiplies int8 weights."""
    return vnni_obstacle() is None


def _function() -> Any:
    function = compiled()[_FUNCTION]
    function.argtypes = [
        *(ctypes.POINTER(WeightFields), ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p),
        *(ctypes.c_int32, ctypes.c_int32),
    ]
    function.restype = None
    return function


def _panels(weight: Tensor, scales: Tensor) -> Tensor:
    """Return panels, uint8 [ceil(num_outputs / 32), ceil(num_inputs / 4), 32, 4]; padding has weight 0."""
    num_outputs, num_inputs = weight.shape
    num_panels, num_quads = -(-num_outputs // PANEL_OUTPUTS), -(-num_inputs // QUAD_INPUTS)
    panels = empty_tensor((num_panels, num_quads, PANEL_OUTPUTS, QUAD_INPUTS), torch.uint8)
    quads = panels.view(torch.int32).squeeze(-1)
    for rows, numbers in round_channels(weight, scales):
        first, num = rows.start // PANEL_OUTPUTS, -(-len(numbers) // PANEL_OUTPUTS)
        padded = torch.full((num * PANEL_OUTPUTS, num_quads * QUAD_INPUTS), WEIGHT_SHIFT, dtype=torch.uint8)
        padded[: len(numbers), :num_inputs] = numbers.add_(WEIGHT_SHIFT)
        by_panel = padded.view(torch.int32).view(num, PANEL_OUTPUTS, num_quads)
        quads[first : first + num] = by_panel.transpose(1, 2)
    return panels
