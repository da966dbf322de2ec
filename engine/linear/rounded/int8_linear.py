"""Linear layers with weights of 8 bits, for `quantize="int8"`.

Weights are rounded once, with a scale for each output channel. Activations are rounded at each call, with a
scale for each row, so that a token is computed alike whatever else is in its batch. A row is divided by its
largest magnitude, then rounded to 255 levels between -1 and 1; products are summed as integers, so that all
processors compute the same.

A token needs half of the memory reads of bfloat16. The error is about 1% of a layer's output
(tests/parity/quantized/test_quantization_parity.py). The head's error is that of the logits, so its
activations are rounded to 16 bits.
"""

from typing import ClassVar

from torch import nn
from typing_extensions import override

from engine.linear.packed_weight import PackedWeight
from engine.linear.rounded.compiled_weight import CompiledWeight
from engine.linear.rounded.int8_weight import Int8Weight, RowBits
from engine.linear.rounded.native_channels import native_scales
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.port.errors import ModelNotSupported

_MOST_INPUTS = 2**31 // 127**2  # the sum of their products always fits into 32 bits


class ChannelLinear(RoundedLinear):
    """A layer whose weight has 8 bits and a scale for each output channel.

    row_bits: of activations. Raises ModelNotSupported for more inputs than can be summed in 32 bits.
    """

    row_bits: ClassVar[RowBits]

    @classmethod
    @override
    def _rounded(cls, linear: nn.Linear) -> Int8Weight:
        if linear.in_features > _MOST_INPUTS:
            raise ModelNotSupported(f"quantize int8 takes layers of {_MOST_INPUTS:,} inputs at most")
        weight = linear.weight.detach()
        return Int8Weight.of(weight, native_scales(weight), linear.bias, row_bits=cls.row_bits)

    @classmethod
    @override
    def _of_packed(cls, packed: PackedWeight) -> CompiledWeight:
        return Int8Weight(packed, row_bits=cls.row_bits)


class Int8Linear(ChannelLinear):
    """A layer with activations of 8 bits."""

    row_bits = 8


class Int8Head(ChannelLinear):
    """A layer with activations of 16 bits: only the rounding of its weight tells in its outputs."""

    row_bits = 16
