"""What a decoder layer does after attention in one call of compiled code, for few rows of bfloat16.

Where rows are few, products leave nothing in the caches but weights, and each call from Python costs several
times what it computes.
"""

import ctypes

import torch
from torch import Tensor, nn

from engine.native.library import compiled
from engine.native_layer import RmsNorm
from engine.native_linear import PANEL_OUTPUTS, PanelLinear

_MOST_ROWS = 64  # kMostGatedRows of native/layer_end.cpp


class _Panels(ctypes.Structure):
    """VerbatimPanels of native/layer_end.cpp."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("panels", "bias")),
        *((name, ctypes.c_int64) for name in ("num_inputs", "num_outputs")),
    ]


class _Call(ctypes.Structure):
    """VerbatimLayerEnd of native/layer_end.cpp."""

    _fields_ = [
        *((name, _Panels) for name in ("attention", "gates", "down")),
        *((name, ctypes.c_void_p) for name in ("weight", "stream", "attended", "sum", "normed", "gated")),
        ("output", ctypes.c_void_p),
        ("num_rows", ctypes.c_int64),
        ("epsilon", ctypes.c_float),
        ("num_threads", ctypes.c_int32),
    ]


class NativeLayerEnd:
    """The product of what was attended to, sum, norm, gates, product, sum. Made by `join_end`."""

    def __init__(self, attention: PanelLinear, norm: RmsNorm, gates: PanelLinear, down: PanelLinear) -> None:
        self._modules = (attention, norm, gates, down)  # whose memory the call names
        self._size = attention.out_features
        self._num_gates = down.in_features
        self._call = _Call(*map(_panels, (attention, gates, down)), norm.weight.data_ptr())
        self._call.epsilon = norm.epsilon

    def takes(self, rows: Tensor) -> bool:
        """Whether there are any, and few enough; more are computed faster step by step."""
        return 0 < len(rows) <= _MOST_ROWS

    def __call__(self, stream: Tensor, attended: Tensor) -> Tensor:
        """stream: [num_rows, hidden_size]; attended: [num_rows, heads * dim]; dense, as is the result."""
        num_rows = len(stream)
        assert stream.is_contiguous() and attended.is_contiguous() and len(attended) == num_rows
        assert stream.dtype == attended.dtype == torch.bfloat16
        output = torch.empty_like(stream)
        scratch = stream.new_empty(num_rows * (2 * self._size + self._num_gates))
        call = self._call
        call.stream, call.attended, call.output = stream.data_ptr(), attended.data_ptr(), output.data_ptr()
        call.sum = scratch.data_ptr()
        call.normed = call.sum + 2 * num_rows * self._size
        call.gated = call.normed + 2 * num_rows * self._size
        call.num_rows, call.num_threads = num_rows, torch.get_num_threads()
        compiled().verbatim_layer_end(ctypes.byref(call))
        return output


def join_end(attention: nn.Module, norm: RmsNorm, gates: nn.Module, down: nn.Module) -> NativeLayerEnd | None:
    """The end of a layer of these, or None where they are not of panels."""
    if not (
        isinstance(attention, PanelLinear)
        and isinstance(gates, PanelLinear)
        and isinstance(down, PanelLinear)
    ):
        return None
    is_whole = gates.out_features == 2 * down.in_features and down.in_features % PANEL_OUTPUTS == 0
    fits = attention.out_features == gates.in_features == down.out_features == len(norm.weight)
    return NativeLayerEnd(attention, norm, gates, down) if is_whole and fits else None


def _panels(linear: PanelLinear) -> _Panels:
    return _Panels(linear.panels.data_ptr(), linear.bias.data_ptr(), linear.in_features, linear.out_features)
