"""A linear layer's int8 weight for compiled code.

One call rounds the rows, multiplies, scales and adds the bias. Products are summed as integers, so that all
processors compute the same outputs.
"""

import ctypes
from typing import Any, Literal, Self, TypeAlias

import torch
from torch import Tensor
from typing_extensions import override

from engine.linear.channel_scales import whole_panels
from engine.linear.packed_weight import PackedWeight
from engine.linear.rounded.compiled_weight import PRODUCT_ARGUMENTS, CompiledWeight, product_arguments
from engine.linear.rounded.native_channels import native_panels
from engine.native.library import compiled
from engine.native.structures import WeightFields

RowBits: TypeAlias = Literal[8, 16]


class Int8Weight(CompiledWeight):
    """A weight that is rounded to 8 bits and packed in panels. Requires compiled code.

    packed: its panels and scales. row_bits: 8, or 16 for rows that are rounded to two of 8 bits each.
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

    @override
    def _write_product(self, rows: Tensor, output: Tensor) -> None:
        arguments = product_arguments(self, rows, output)
        self._multiply(*arguments, self._num_halves, torch.get_num_threads())


def _function() -> Any:
    function = compiled().verbatim_int8_linear
    function.argtypes = [*PRODUCT_ARGUMENTS, ctypes.c_int32, ctypes.c_int32]
    function.restype = None
    return function
