"""A linear layer's int8 weight for compiled code.

One call rounds the rows, multiplies, scales and adds the bias. Products are summed as integers, so that all
processors compute the same outputs.
"""

import ctypes
from typing import Any, Literal, Self, TypeAlias

import torch
from torch import Tensor

from engine.linear.channel_scales import whole_panels
from engine.linear.native_channels import native_panels
from engine.linear.packed_weight import PackedWeight
from engine.native.library import compiled
from engine.native.structures import WeightFields

RowBits: TypeAlias = Literal[8, 16]


class Int8Weight:
    """A weight that is rounded to 8 bits and packed in panels. Requires compiled code.

    packed: its panels and scales. row_bits: 8, or 16 for rows that are rounded to two of 8 bits each. fields:
    the structure that compiled code reads.
    """

    def __init__(self, packed: PackedWeight, *, row_bits: RowBits = 8) -> None:
        assert packed.scales is not None
        self._num_halves = row_bits // 8
        # Both are kept alive, since the structure has the addresses of their tensors.
        self.packed, self._bias = packed, packed.bias / self._num_halves
        addresses = (tensor.data_ptr() for tensor in (packed.panels, packed.scales, self._bias))
        self.fields = WeightFields(*addresses, packed.num_inputs, packed.num_outputs)
        self._multiply = _function()

    @classmethod
    def of(cls, weight: Tensor, scales: Tensor, bias: Tensor | None, *, row_bits: RowBits = 8) -> Self:
        """Round and pack a weight [num_outputs, num_inputs] of any float type.

        scales, bias: float32 [num_outputs]. row_bits: as above.
        """
        num_outputs, num_inputs = weight.shape
        if bias is None:
            bias = torch.zeros(num_outputs)
        panels = native_panels(weight, scales)
        packed = PackedWeight(num_outputs, num_inputs, panels, whole_panels(scales), whole_panels(bias))
        return cls(packed, row_bits=row_bits)

    def multiply(self, rows: Tensor) -> Tensor:
        """Return the product with rows [num_rows, num_inputs]: [num_rows, num_outputs] of their dtype."""
        if rows.dtype not in (torch.float32, torch.bfloat16):
            return self.multiply(rows.float()).to(rows.dtype)
        if rows.stride(1) != 1:
            rows = rows.contiguous()
        num_rows = len(rows)
        output = torch.empty(num_rows, self.packed.num_outputs, dtype=rows.dtype)
        self._multiply(
            self.fields,
            rows.data_ptr(),
            rows.stride(0),
            num_rows,
            output.data_ptr(),
            rows.dtype == torch.bfloat16,
            self._num_halves,
            torch.get_num_threads(),
        )
        return output


def _function() -> Any:
    function = compiled().verbatim_int8_linear
    function.argtypes = [
        *(ctypes.POINTER(WeightFields), ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p),
        *(ctypes.c_int32, ctypes.c_int32, ctypes.c_int32),
    ]
    function.restype = None
    return function
