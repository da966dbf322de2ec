"""Linear layers of bfloat16 by compiled code, for all processors without AMX, where oneDNN is faster.

Weights keep 16 bits in memory. They are multiplied as they are, by AVX-512 BF16 or the like of ARM, or become
float32 in registers, as rows do beforehand (native/src/linear/widened_panels.h).
"""

import ctypes
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.linear.channel_scales import whole_panels
from engine.linear.packed_weight import PackedWeight
from engine.native.huge_pages import empty_tensor
from engine.native.library import compiled
from engine.native.structures import PANEL_OUTPUTS, LinearCall

_OUTPUTS_AT_ONCE = 32 * PANEL_OUTPUTS  # the number of outputs that are packed in place at once
# A product of fewer weights is done before a second thread has started.
_FEWEST_WEIGHTS_A_THREAD = 1 << 15


# bfloat16 in pairs, by AVX-512 BF16 or FEAT_BF16 of ARM, or widened to float32; or float16 widened.
Bfloat16Products: TypeAlias = Literal["pairs", "widened"]
PanelProducts: TypeAlias = Literal["pairs", "widened", "float16"]


def has_pair_products() -> bool:
    """Return whether the compiled code multiplies bfloat16 in pairs, and not only widened."""
    return hasattr(compiled(), "verbatim_pairs_linear")


def usual_products() -> Bfloat16Products:
    """Return how bfloat16 is multiplied unless `choose_products` has found a better way."""
    return "pairs" if has_pair_products() else "widened"


class PanelLinear(nn.Module):
    """A replacement of `nn.Linear` of bfloat16 for inference. Requires `has_compiled_bfloat16()`.

    packed: its weight. panels: the weight [out_features, in_features] as native/src/linear/panels.h describes
    it, of bfloat16 or, of `Float16PanelLinear`, float16. bias: float32, padded with zeros to whole panels.
    products: how the weight is multiplied, which is part of the names of the functions that do it. It may be
    changed at any time: the panels are the same.
    """

    products: PanelProducts

    def __init__(self, linear: nn.Linear | PackedWeight, *, in_place: bool = False) -> None:
        """Pack the layer's weight, or take a packed one.

        in_place: whether the panels may overwrite the weight, as nothing else needs it.
        """
        super().__init__()
        packed = linear if isinstance(linear, PackedWeight) else _packed(linear, in_place=in_place)
        self.out_features, self.in_features = packed.num_outputs, packed.num_inputs
        self.panels, self.bias = packed.panels, packed.bias
        self.products = "float16" if self.panels.dtype == torch.float16 else usual_products()

    @property
    def packed(self) -> PackedWeight:
        """The weight."""
        return PackedWeight(self.out_features, self.in_features, self.panels, None, self.bias)

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
            self.bias.data_ptr(),
            output.data_ptr(),
            len(flat),
            flat.stride(0),
            self.in_features,
            self.out_features,
            _num_threads(self.in_features * self.out_features),
        )
        compiled()[f"verbatim_{self.products}_linear"](ctypes.byref(call))
        return output


class Float16PanelLinear(PanelLinear):
    """A replacement of `nn.Linear` with a weight of float16, which becomes float32 in registers everywhere.

    Rows and outputs are bfloat16, as of the others; the weight keeps its eleven bits.
    """


def _packed(linear: nn.Linear, *, in_place: bool) -> PackedWeight:
    weight = linear.weight.detach()
    bias: Tensor | None = linear.bias
    return PackedWeight(
        linear.out_features,
        linear.in_features,
        _pack(weight, in_place=in_place),
        None,
        whole_panels(torch.zeros(linear.out_features) if bias is None else bias),
    )


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
    place = ctypes.c_void_p(weight.data_ptr())
    sizes = map(ctypes.c_int64, (weight.stride(0), *weight.shape))
    rest = *sizes, ctypes.c_void_p(panels.data_ptr()), ctypes.c_int32(torch.get_num_threads())
    if weight.dtype == torch.float16:
        compiled().verbatim_pack_float16(place, *rest)
    else:
        compiled().verbatim_pack_linear(place, *rest)


def _num_threads(num_weights: int) -> int:
    return min(torch.get_num_threads(), 1 + num_weights // _FEWEST_WEIGHTS_A_THREAD)
