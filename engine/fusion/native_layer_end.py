"""What a decoder layer does after attention in one call of compiled code, for rows of bfloat16.

Where rows are few, products leave nothing in the caches but weights, and each call from Python costs several
times what it computes. Where they are many, sums and gates are computed while a product's outputs are in the
caches.
"""

import ctypes

import torch
from torch import Tensor, nn

from engine.fusion.native_layer import RmsNorm
from engine.fusion.native_weight import NativeWeights, native_weights
from engine.native.library import compiled
from engine.native.structures import PANEL_OUTPUTS, LayerEndCall, LayerEndFields

# For which each thread would keep 20 KB a row, of Qwen2.5-0.5B's shape, from call to call.
_MOST_ROWS = 1024


class NativeLayerEnd:
    """The product of what was attended to, sum, norm, gates, product, sum. Made by `join_end`.

    kind: of its weights. fields: its constants.
    """

    def __init__(self, weights: NativeWeights, norm: RmsNorm, linears: tuple[nn.Module, ...]) -> None:
        self._owners = (norm, linears)  # of the memory that the fields name
        self.kind = weights.kind
        self.fields = LayerEndFields(*weights.fields, norm.weight.data_ptr(), norm.epsilon)
        self._compute = compiled()[f"verbatim_{self.kind}_layer_end"]

    def takes(self, rows: Tensor) -> bool:
        """Whether there are any, and not more than memory is kept for; those are computed step by step."""
        return 0 < len(rows) <= _MOST_ROWS and rows.dtype == torch.bfloat16

    def __call__(self, residual: Tensor, attended: Tensor) -> Tensor:
        """residual: [num_rows, hidden_size]; attended: [num_rows, num_heads * dim]; all dense."""
        assert residual.is_contiguous() and attended.is_contiguous() and len(attended) == len(residual)
        assert residual.dtype == attended.dtype == torch.bfloat16
        output = torch.empty_like(residual)
        rows = residual.data_ptr(), attended.data_ptr(), output.data_ptr()
        call = LayerEndCall(ctypes.addressof(self.fields), *rows, len(residual), torch.get_num_threads())
        self._compute(ctypes.byref(call))
        return output


def join_end(output: nn.Module, norm: RmsNorm, gate_up: nn.Module, down: nn.Module) -> NativeLayerEnd | None:
    """The end of a layer of these, or None where compiled code has not all their products."""
    weights = native_weights(output, gate_up, down)
    if weights is None or norm.weight.dtype != torch.bfloat16:
        return None
    of_output, of_gate_up, of_down = weights.fields
    is_whole = of_gate_up.num_outputs == 2 * of_down.num_inputs and of_down.num_inputs % PANEL_OUTPUTS == 0
    sizes = {of_output.num_outputs, of_gate_up.num_inputs, of_down.num_outputs, len(norm.weight)}
    return NativeLayerEnd(weights, norm, (output, gate_up, down)) if is_whole and len(sizes) == 1 else None
