"""A linear layer's weight of 4 to 8 bits with a scale for each group of inputs, for compiled code.

One call rounds the rows to 8 bits, puts them in the order of the weight's columns, multiplies, scales and
adds the bias. The products of a group of inputs are summed as integers, and these sums as float32 in one
order, so that all processors compute the same outputs.
"""

import ctypes
from typing import Any, Self

import torch
from torch import Tensor
from typing_extensions import override

from engine.linear.channel_scales import whole_panels
from engine.linear.packed_weight import PackedWeight
from engine.linear.rounded.compiled_weight import PRODUCT_ARGUMENTS, CompiledWeight, product_arguments
from engine.linear.rounded.native_channels import stored_weight
from engine.native.huge_pages import empty_tensor
from engine.native.library import compiled
from engine.native.structures import WeightFields
from engine.weights.grouped_weight import GroupedWeight, GroupForm


class GroupedPanels(CompiledWeight):
    """A weight in groups, packed in panels as native/src/linear/grouped_panels.h describes them."""

    def __init__(self, packed: PackedWeight) -> None:
        assert packed.groups is not None
        self.packed = packed
        self.fields = _fields(packed.num_outputs, packed.num_inputs, packed.groups)
        self.fields.panels, self.fields.bias = packed.panels.data_ptr(), packed.bias.data_ptr()
        self.fields.order = None if packed.order is None else packed.order.data_ptr()
        self._multiply = _function()

    @classmethod
    def of(cls, weight: GroupedWeight, bias: Tensor | None) -> Self:
        """Pack a weight as it is. bias: [num_outputs]. Raises ValueError for one that is not as described."""
        weight.check()
        form = weight.form
        values, scales = weight.values.contiguous(), weight.scales.contiguous()
        mins = None if weight.mins is None else weight.mins.contiguous()
        panels = _empty_panels(weight.num_outputs, weight.num_inputs, form)
        compiled().verbatim_pack_groups(
            ctypes.byref(_fields(weight.num_outputs, weight.num_inputs, form)),
            ctypes.c_void_p(values.data_ptr()),
            ctypes.c_void_p(scales.data_ptr()),
            ctypes.c_void_p(None if mins is None else mins.data_ptr()),
            ctypes.c_void_p(panels.data_ptr()),
            ctypes.c_int32(torch.get_num_threads()),
        )
        packed = _packed(weight.num_outputs, weight.num_inputs, panels, bias, form)
        return cls(packed._replace(order=weight.order))

    @classmethod
    def rounded(cls, weight: Tensor, bias: Tensor | None, form: GroupForm) -> Self:
        """Round a weight [num_outputs, num_inputs] of any float type to a form of 4 bits.

        bias: [num_outputs]. num_inputs must be whole groups. `round_to_groups` gives the same integers,
        scales and mins.
        """
        num_outputs, num_inputs = weight.shape
        assert form.bits == 4 and num_inputs % form.group_size == 0, (form, num_inputs)
        panels = _empty_panels(num_outputs, num_inputs, form)
        stored, arguments = stored_weight(weight)
        compiled().verbatim_round_groups(
            *arguments,
            ctypes.c_int64(form.group_size),
            ctypes.c_int32(form.has_mins),
            ctypes.c_void_p(panels.data_ptr()),
            ctypes.c_int32(torch.get_num_threads()),
        )
        del stored  # whose address was among the arguments
        return cls(_packed(num_outputs, num_inputs, panels, bias, form))

    @override
    def _write_product(self, rows: Tensor, output: Tensor) -> None:
        self._multiply(*product_arguments(self, rows, output), torch.get_num_threads())


def _packed(
    num_outputs: int, num_inputs: int, panels: Tensor, bias: Tensor | None, form: GroupForm
) -> PackedWeight:
    whole_bias = whole_panels(torch.zeros(num_outputs) if bias is None else bias)
    return PackedWeight(num_outputs, num_inputs, panels, None, whole_bias, form)


def _fields(num_outputs: int, num_inputs: int, form: GroupForm) -> WeightFields:
    """Return the structure of a weight without its addresses."""
    return WeightFields(
        num_inputs=num_inputs,
        num_outputs=num_outputs,
        group_size=form.group_size,
        num_bits=form.bits,
        has_mins=form.has_mins,
    )


def _empty_panels(num_outputs: int, num_inputs: int, form: GroupForm) -> Tensor:
    size = compiled().verbatim_grouped_panels_size
    size.restype = ctypes.c_int64
    sizes = num_outputs, num_inputs, form.group_size, form.bits
    num_bytes = size(*map(ctypes.c_int64, sizes), ctypes.c_int32(form.has_mins))
    return empty_tensor((num_bytes,), torch.uint8)


def _function() -> Any:
    function = compiled().verbatim_grouped_linear
    function.argtypes = [*PRODUCT_ARGUMENTS, ctypes.c_int32]
    function.restype = None
    return function
