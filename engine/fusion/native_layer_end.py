"""The part of a decoder layer after attention, in one call of compiled code, for rows of bfloat16.

With few rows, products leave only weights in the caches, and each call from Python costs several times as
much as its computation. With many rows, sums and gates are computed while a product's outputs are in the
caches.
"""

import ctypes

import torch
from torch import Tensor, nn

from engine.fusion.native_layer import RmsNorm
from engine.fusion.native_weight import NativeWeights, native_weights
from engine.native.library import compiled
from engine.native.structures import PANEL_OUTPUTS, LayerEndCall, LayerEndFields

# Each thread keeps 20 KB per row from call to call, for a model of Qwen2.5-0.5B's shape.
_MOST_ROWS = 1024


class NativeLayerEnd:
    """The output projection, residual sum, norm and MLP of a layer. Made by `join_end`.

    kind: that of its weights. fields: the structure that compiled code reads.
    """

    def __init__(self, weights: NativeWeights, norm: RmsNorm, linears: tuple[nn.Module, ...]) -> None:
        self._owners = (norm, linears)  # kept alive, since the fields have their addresses
        self.kind = weights.kind
        self.fields = LayerEndFields(*weights.fields, norm.weight.data_ptr(), norm.epsilon)
        self._compute = compiled()[f"verbatim_{self.kind}_layer_end"]

    def takes(self, rows: Tensor) -> bool:
        """Return whether one call takes these rows: some, and no more than threads keep memory for."""
        return 0 < len(rows) <= _MOST_ROWS and rows.dtype == torch.bfloat16

    def __call__(self, residual: Tensor, attended: Tensor) -> Tensor:
        """Return the layer's output [num_rows, hidden_size].

        residual: [num_rows, hidden_size]. attended: [num_rows, num_heads * dim]. All are contiguous bfloat16.
        """
        assert residual.is_contiguous() and attended.is_contiguous() and len(attended) == len(residual)
        assert residual.dtype == attended.dtype == torch.bfloat16
        output = torch.empty_like(residual)
        rows = residual.data_ptr(), attended.data_ptr(), output.data_ptr()
        call = LayerEndCall(ctypes.addressof(self.fields), *rows, len(residual), torch.get_num_threads())
        self._compute(ctypes.byref(call))
        return output


def join_end(output: nn.Module, norm: RmsNorm, gate_up: nn.Module, down: nn.Module) -> NativeLayerEnd | None:
    """Return the end of a layer with these parts; None if compiled code cannot compute all their products."""
    weights = native_weights(output, gate_up, down)
    if weights is None or norm.weight.dtype != torch.bfloat16:
        return None
    of_output, of_gate_up, of_down = weights.fields
    is_whole = of_gate_up.num_outputs == 2 * of_down.num_inputs and of_down.num_inputs % PANEL_OUTPUTS == 0
    sizes = {of_output.num_outputs, of_gate_up.num_inputs, of_down.num_outputs, len(norm.weight)}
    return NativeLayerEnd(weights, norm, (output, gate_up, down)) if is_whole and len(sizes) == 1 else None
