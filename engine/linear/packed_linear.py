"""Linear layers whose weights are packed once for oneDNN or for compiled code, instead of at every call.

On a CPU with bfloat16 instructions a plain linear layer spends much of its time reordering its weight.
Measured for all layers of Qwen2.5-0.5B: on two cores with AMX 47 ms for a token plain, 33 to 37 ms packed; on
one core with AVX-512 and without AMX 92 and 63 ms for a token, 189 and 140 for 32.
"""

from typing import Final

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.linear.merged_linear import Mergeable, MergedLinear, merged_into_others
from engine.linear.panel_linear import Float16PanelLinear, PanelLinear
from engine.linear.plain_linear import ReadLinear, is_plain
from engine.native.bfloat16 import compiled_bfloat16_obstacle, has_compiled_bfloat16, has_onednn_bfloat16
from engine.native.obstacles import find_obstacle
from engine.port.info.kernels import Kernel, Obstacle, kernel, kernel_of_layers

# The number of rows for which oneDNN chooses the layout: a small decoding batch.
_TYPICAL_ROWS = 16

_NO_LAYERS: Final = Obstacle("all of its linear layers have integers of fewer bits")
_OTHERS: Final = Obstacle("others have weights of another kind, or that modelling code reads")


class PackedLinear(nn.Module):
    """A replacement of `nn.Linear` for inference, computed by oneDNN from a packed weight."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features = linear.in_features
        self.out_features = linear.out_features
        self.bias = linear.bias
        self._packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), _TYPICAL_ROWS)

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs [..., out_features] of rows [..., in_features]."""
        if rows.numel() == 0:  # oneDNN refuses an empty batch
            return rows.new_empty(*rows.shape[:-1], self.out_features)
        output: Tensor = torch.ops.mkldnn._linear_pointwise(rows, self._packed, self.bias, "none", [], "")
        return output


def can_pack(model: nn.Module, arithmetic: torch.dtype | None = None) -> bool:
    """Return whether packing helps: rows are bfloat16, on a CPU where something multiplies it fast.

    arithmetic: the type of rows, where it is not that of the weights.
    """
    weight = next(model.parameters())
    is_on_cpu = weight.device.type == "cpu" and (arithmetic or weight.dtype) == torch.bfloat16
    return is_on_cpu and (has_compiled_bfloat16() or has_onednn_bfloat16())


@torch.inference_mode()
def pack_linears(model: nn.Module) -> None:
    """Replace every plain linear layer of 16 bits, and free weights that nothing else uses.

    Requires `can_pack`.

    Subclasses of nn.Linear, such as quantized ones, and weights of a class of their own stay as they are.
    """
    is_ours = has_compiled_bfloat16()
    # A list of the layers themselves would keep each weight until the last one is packed.
    parents = [module for module in model.modules() if not is_plain(module)]
    for parent in parents:
        for name, child in parent.named_children():
            if not is_plain(child):
                continue
            # Merged weights are copies that nothing else uses.
            in_place = isinstance(parent, MergedLinear)
            if child.weight.dtype == torch.bfloat16:
                packed = PanelLinear(child, in_place=in_place) if is_ours else PackedLinear(child)
                setattr(parent, name, packed)
            elif child.weight.dtype == torch.float16 and is_ours:
                setattr(parent, name, Float16PanelLinear(child, in_place=in_place))


def convert_float16(model: nn.Module, dtype: torch.dtype) -> None:
    """Convert what is float16 and was not packed, such as norms and embeddings; nothing else changes."""
    for tensor in (*model.parameters(), *model.buffers()):
        if tensor.dtype == torch.float16:
            tensor.data = tensor.data.to(dtype)


def linear_dtype(model: nn.Module) -> str | None:
    """Return torch's name for the type of packed weights if it is another than that of rows, but for int8."""
    is_float16 = any(isinstance(part, Float16PanelLinear) for part in model.modules())
    return "float16" if is_float16 else None


def linear_kernel(model: nn.Module) -> Kernel:
    """Return the report on linear layers whose weights keep 16 bits, after `pack_linears`."""
    kinds = (nn.Linear, ReadLinear, PackedLinear, PanelLinear, Float16PanelLinear)
    layers = [part for part in model.modules() if type(part) in kinds]
    num_compiled = sum(isinstance(layer, PanelLinear) for layer in layers)
    weight = next(model.parameters())
    return _report(num_compiled, len(layers), linear_obstacle(weight.device, weight.dtype))


def expected_linear_kernel(
    model: nn.Module,
    device: torch.device,
    dtype: torch.dtype,
    mergeable: Mergeable,
    *,
    is_rounded: bool,
) -> Kernel:
    """Return what `linear_kernel` would report of a model that has no data.

    device, dtype: of the rows. mergeable: as of `find_mergeable`. is_rounded: whether plain layers are to be
    quantized.
    """
    merged_away = merged_into_others(mergeable)
    layers = [
        module
        for module in model.modules()
        if type(module) in (nn.Linear, ReadLinear)
        and module not in merged_away
        and not (is_rounded and is_plain(module))
    ]
    obstacle = linear_obstacle(device, dtype)
    compiled = [
        layer for layer in layers if obstacle is None and is_plain(layer) and layer.weight.dtype == dtype
    ]
    return _report(len(compiled), len(layers), obstacle)


def _report(num_compiled: int, num_layers: int, obstacle: Obstacle | None) -> Kernel:
    """Return the report on linear layers of 16 bits. obstacle: why compiled code multiplies none here."""
    if not num_layers:
        return kernel("linear", _NO_LAYERS)
    return kernel_of_layers("linear", num_compiled, num_layers, obstacle or _OTHERS)


def linear_obstacle(device: torch.device, dtype: torch.dtype) -> Obstacle | None:
    """Return why compiled code multiplies no weights of 16 bits on this device; None if it does."""
    return find_obstacle(device, dtype, dtypes=(torch.bfloat16,)) or compiled_bfloat16_obstacle()
