"""A linear layer's weight of 8 bits for torch's FBGEMM: where `VnniWeight` cannot be had, and its oracle."""

import warnings
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from engine.native.instructions import Instructions, usable_instructions

_ENGINE = "fbgemm"
_SMALLEST = 1e-30  # of a row of zeros, which stays one
_NUM_INPUTS, _NUM_OUTPUTS = 200, 72  # of a product that kernels compute by blocks, with some left over


class Levels(NamedTuple):
    """Largest whole numbers that rows and weights are rounded to; rows are stored from 0 to twice theirs."""

    rows: int
    weights: int


_ALL = Levels(127, 127)
# Without VNNI two products are added up in 16 bits (VPMADDUBSW): 2 * 113 * 72 * 2 = 32,544 of 32,767. Of all
# splits that fit, this one loses least of the demo model's logits; rows need more levels than weights do.
_IN_16_BITS = Levels(113, 72)


class FbgemmWeight:
    """As `VnniWeight`. `has_fbgemm` must hold."""

    def __init__(
        self, weight: Tensor, scales: Tensor, bias: Tensor | None, levels: Levels | None = None
    ) -> None:
        """scales: those of 127 levels. levels: `choose_levels` by default."""
        levels = levels or choose_levels()
        assert levels is not None
        self._packed = _pack(weight, scales * (_ALL.weights / levels.weights))
        self._bias = bias
        self._levels = levels

    def multiply(self, rows: Tensor) -> Tensor:
        """[num_rows, num_inputs] -> [num_rows, num_outputs] of the rows' type"""
        scales = rows.abs().amax(dim=-1, keepdim=True).float().clamp_(min=_SMALLEST)
        output: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            rows / scales, 1 / self._levels.rows, self._levels.rows, self._packed
        )
        output.mul_(scales)
        return (output if self._bias is None else output.add_(self._bias)).to(rows.dtype)


def has_fbgemm() -> bool:
    """Whether torch has it for this processor, and it computes right."""
    is_there = _ENGINE in torch.backends.quantized.supported_engines
    return is_there and usable_instructions() >= Instructions.AVX2 and choose_levels() is not None


@cache
def choose_levels() -> Levels | None:
    """The most levels whose largest sums come out right, as tried; None if none do.

    Tried rather than looked up: FBGEMM alone knows which of its kernels runs.
    """
    return next((levels for levels in (_ALL, _IN_16_BITS) if _sums_are_right(levels)), None)


@torch.inference_mode()
def _sums_are_right(levels: Levels) -> bool:
    """Whether numbers that are all as large as they can be are multiplied without a loss."""
    signs = torch.ones(3, _NUM_INPUTS)
    signs[1], signs[2, 1::2] = -1, -1
    weight = signs.repeat(_NUM_OUTPUTS // 3, 1)
    scales = torch.full((_NUM_OUTPUTS,), 1 / _ALL.weights)
    sums = FbgemmWeight(weight, scales, None, levels).multiply(signs)
    return torch.allclose(sums, signs @ weight.T, rtol=0.0, atol=1e-3)


def _pack(weight: Tensor, scales: Tensor) -> object:
    zero_points = torch.zeros(len(weight), dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch means to drop such tensors; torch is pinned
        quantized = torch.quantize_per_channel(weight.float(), scales.double(), zero_points, 0, torch.qint8)
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = _ENGINE
    try:
        packed: object = torch.ops.quantized.linear_prepack(quantized, None)
    finally:
        torch.backends.quantized.engine = before
    return packed
