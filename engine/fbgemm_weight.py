"""A linear layer's weight of 8 bits for torch's FBGEMM: where `VnniWeight` cannot be had, and its oracle."""

import warnings

import torch
from torch import Tensor

_ENGINE = "fbgemm"
_ZERO_POINT = 128
_SMALLEST = 1e-30  # of a row of zeros, which stays one


class FbgemmWeight:
    """As `VnniWeight`."""

    def __init__(self, weight: Tensor, scales: Tensor, bias: Tensor | None) -> None:
        self._packed = _pack(weight, scales)
        self._bias = bias
        # Without VNNI products of 8 bits are added up in 16, which 127 times 127 twice would overflow.
        self._step = 1 / 127 if torch.cpu._is_vnni_supported() else 1 / 63

    def multiply(self, rows: Tensor) -> Tensor:
        """[num_rows, num_inputs] -> [num_rows, num_outputs] of the rows' type"""
        scales = rows.abs().amax(dim=-1, keepdim=True).float().clamp_(min=_SMALLEST)
        output: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            rows / scales, self._step, _ZERO_POINT, self._packed
        )
        output.mul_(scales)
        return (output if self._bias is None else output.add_(self._bias)).to(rows.dtype)


def has_fbgemm() -> bool:
    """Whether torch was built with it, as for processors of x86."""
    return _ENGINE in torch.backends.quantized.supported_engines


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
