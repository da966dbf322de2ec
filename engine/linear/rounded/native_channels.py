"""The rounding of linear layers' weights to 8 bits by compiled code, with a scale for each output channel.

A weight is read as it is stored, and no part of it is in memory as float32. torch's arithmetic, which
channel_scales.py has, gives the same bits; it took 1.4 to 3.8 ns for each weight, and this takes 0.3 to 1.4.
"""

import ctypes
from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor

from engine.linear.channel_scales import scales_of_largest
from engine.native.huge_pages import empty_tensor
from engine.native.library import compiled

_TYPES: Final[Mapping[torch.dtype, int]] = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2}


def native_scales(weight: Tensor) -> Tensor:
    """Return what `channel_scales` returns. Requires compiled code."""
    largest = torch.empty(len(weight), dtype=torch.float32)
    _call("verbatim_largest_magnitudes", weight, largest)
    return scales_of_largest(largest)


def native_panels(weight: Tensor, scales: Tensor) -> Tensor:
    """Return a weight rounded, as the panels that native/src/linear/int8_panels.h describes.

    weight: [num_outputs, num_inputs] of any float type. scales: of `channel_scales`. Returns int8
    [num_bytes]. Requires compiled code.
    """
    size = compiled().verbatim_int8_panels_size
    size.restype = ctypes.c_int64
    panels = empty_tensor((size(*map(ctypes.c_int64, weight.shape)),), torch.int8)
    _call("verbatim_round_int8", weight, scales.contiguous(), panels)
    return panels


def stored_weight(weight: Tensor) -> tuple[Tensor, tuple[Any, ...]]:
    """Return a weight in a form that compiled code reads, and the arguments that say so.

    These are its address, type, the numbers from one output to the next, and its shape.
    """
    if weight.dtype not in _TYPES:
        weight = weight.float()
    if weight.stride(1) != 1:
        weight = weight.contiguous()
    sizes = map(ctypes.c_int64, (weight.stride(0), *weight.shape))
    return weight, (ctypes.c_void_p(weight.data_ptr()), ctypes.c_int32(_TYPES[weight.dtype]), *sizes)


def _call(name: str, weight: Tensor, *tensors: Tensor) -> None:
    """Call a function with a weight, and with the addresses of other tensors."""
    stored, arguments = stored_weight(weight)
    function: Any = getattr(compiled(), name)
    function(
        *arguments,
        *(ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors),
        ctypes.c_int32(torch.get_num_threads()),
    )
    del stored  # whose address was among the arguments
