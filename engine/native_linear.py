"""Linear layers of bfloat16 by compiled code, on processors that multiply it in AVX-512 and have no AMX.

oneDNN, which serves all others, reaches there half of what memory and processor allow (docs/cpu_profile.md).
"""

import ctypes

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.huge_pages import empty_tensor
from engine.native.library import compiled, load_library

PANEL_OUTPUTS = 32  # of native/bfloat16_panels.h
# Products of fewer weights than this are done before a second thread has begun.
_FEWEST_WEIGHTS_A_THREAD = 1 << 15


class _Call(ctypes.Structure):
    """VerbatimLinear of native/bfloat16_linear.cpp."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("rows", "panels", "bias", "output")),
        *((name, ctypes.c_int64) for name in ("num_rows", "row_stride", "num_inputs", "num_outputs")),
        ("num_threads", ctypes.c_int32),
    ]


class PanelLinear(nn.Module):
    """Computes what `nn.Linear` does in bfloat16, in inference alone. `can_multiply` must hold.

    panels: the weight as native/bfloat16_panels.h describes it. bias: float32, zeros where there is none.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features = linear.in_features
        self.out_features = linear.out_features
        self.panels = _pack(linear.weight.detach())
        self.bias = torch.zeros(-(-linear.out_features // PANEL_OUTPUTS) * PANEL_OUTPUTS)
        if linear.bias is not None:
            self.bias[: linear.out_features] = linear.bias.detach()

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """[..., in_features] -> [..., out_features]"""
        assert rows.dtype == torch.bfloat16 and rows.shape[-1] == self.in_features, rows.shape
        output = rows.new_empty(*rows.shape[:-1], self.out_features)
        flat = rows.reshape(-1, self.in_features)
        if flat.stride(1) != 1:
            flat = flat.contiguous()
        call = _Call(
            flat.data_ptr(),
            self.panels.data_ptr(),
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


def can_multiply() -> bool:
    """Whether `PanelLinear` runs here and is faster than oneDNN, which uses AMX where there is any."""
    has_instructions: bool = torch.cpu._is_avx512_bf16_supported() and not torch.cpu._is_amx_tile_supported()
    library = load_library() if has_instructions else None
    return library is not None and library.verbatim_panels_size(1, 1) > 0


def _pack(weight: Tensor) -> Tensor:
    """[num_outputs, num_inputs] -> its panels, one after another."""
    num_outputs, num_inputs = weight.shape
    if weight.stride(1) != 1:
        weight = weight.contiguous()
    size = compiled().verbatim_panels_size
    size.restype = ctypes.c_int64
    shape = (size(ctypes.c_int64(num_outputs), ctypes.c_int64(num_inputs)),)
    panels = empty_tensor(shape, weight.dtype)
    compiled().verbatim_pack_linear(
        ctypes.c_void_p(weight.data_ptr()),
        *map(ctypes.c_int64, (weight.stride(0), num_outputs, num_inputs)),
        ctypes.c_void_p(panels.data_ptr()),
        ctypes.c_int32(torch.get_num_threads()),
    )
    return panels


def _num_threads(num_weights: int) -> int:
    return min(torch.get_num_threads(), 1 + num_weights // _FEWEST_WEIGHTS_A_THREAD)
