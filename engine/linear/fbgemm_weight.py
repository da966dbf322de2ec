"""A linear layer's int8 weight for torch's FBGEMM: the fallback and the oracle of `VnniWeight`."""

import warnings
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from engine.native.instructions import Instructions, usable_instructions

_ENGINE = "fbgemm"
_SMALLEST = 1e-30  # the scale of a row of zeros
_NUM_INPUTS, _NUM_OUTPUTS = 200, 72  # sizes that are no multiple of the kernels' blocks


class Levels(NamedTuple):
    """The largest integers that rows and weights are rounded to; rows are stored from 0 to twice that."""

    rows: int
    weights: int


_ALL = Levels(127, 127)
# Without VNNI two products are summed in 16 bits (VPMADDUBSW): 2 * 113 * 72 * 2 = 32,544 of 32,767. Of all
# splits that fit, this one changes the demo model's logits least; rows need more levels than weights do.
_IN_16_BITS = Levels(113, 72)


class FbgemmWeight:
    """An int8 weight with the interface of `VnniWeight`. Requires `has_fbgemm()`."""

    def __init__(
        self, weight: Tensor, scales: Tensor, bias: Tensor | None, levels: Levels | None = None
    ) -> None:
        """Round and pack the weight. scales: those for 127 levels. levels: `choose_levels()` by default."""
        levels = levels or choose_levels()
        assert levels is not None
        self._packed = _pack(weight, scales * (_ALL.weights / levels.weights))
        self._bias = bias
        self._levels = levels

    def multiply(self, rows: Tensor) -> Tensor:
        """Return the product with rows [num_rows, num_inputs]: [num_rows, num_outputs] of their dtype."""
        scales = rows.abs().amax(dim=-1, keepdim=True).float().clamp_(min=_SMALLEST)
        output: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            rows / scales, 1 / self._levels.rows, self._levels.rows, self._packed
        )
        output.mul_(scales)
        return (output if self._bias is None else output.add_(self._bias)).to(rows.dtype)


def has_fbgemm() -> bool:
    """Return whether torch has FBGEMM for this processor, and its sums are right."""
    is_there = _ENGINE in torch.backends.quantized.supported_engines
    return is_there and usable_instructions() >= Instructions.AVX2 and choose_levels() is not None


@cache
def choose_levels() -> Levels | None:
    """Return the most levels whose largest sums are right; None if none are.

    They are tried, since only FBGEMM knows which of its kernels runs.
    """
    return next((levels for levels in (_ALL, _IN_16_BITS) if _sums_are_right(levels)), None)


@torch.inference_mode()
def _sums_are_right(levels: Levels) -> bool:
    """Return whether the largest possible numbers are multiplied without saturation."""
    signs = torch.ones(3, _NUM_INPUTS)
    signs[1], signs[2, 1::2] = -1, -1
    weight = signs.repeat(_NUM_OUTPUTS // 3, 1)
    scales = torch.full((_NUM_OUTPUTS,), 1 / _ALL.weights)
    sums = FbgemmWeight(weight, scales, None, levels).multiply(signs)
    return torch.allclose(sums, signs @ weight.T, rtol=0.0, atol=1e-3)


def _pack(weight: Tensor, scales: Tensor) -> object:
    zero_points = torch.zeros(len(weight), dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch will remove such tensors; its version is pinned
        quantized = torch.quantize_per_channel(weight.float(), scales.double(), zero_points, 0, torch.qint8)
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = _ENGINE
    try:
        packed: object = torch.ops.quantized.linear_prepack(quantized, None)
    finally:
        torch.backends.quantized.engine = before
    return packed
