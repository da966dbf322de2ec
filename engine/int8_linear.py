"""Linear layers with weights of 8 bits, for `quantize="int8"`.

Weights are rounded once, with a scale for each output channel. Activations are rounded at each call, with a
scale for each row, so that a token is computed alike whatever else is in its batch. A row is divided by its
largest magnitude, then rounded to 255 levels between -1 and 1; products are summed as whole numbers.

Half the bytes of bfloat16 are read for a token. The error is some 1% of a layer's output
(tests/parity/test_int8_parity.py).
"""

import warnings
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from typing_extensions import override

from engine.errors import ModelNotSupported

_ENGINE = "fbgemm"
_ZERO_POINT = 128
_SMALLEST = 1e-30  # of a row of zeros, which stays one


class Int8Linear(nn.Module):
    """Computes what `nn.Linear` does, rounded; in inference alone, on a CPU."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features = linear.in_features
        self.out_features = linear.out_features
        self.bias: Tensor | None = linear.bias
        self._packed = _pack(linear)
        # Without VNNI products of 8 bits are added up in 16, which 127 times 127 twice would overflow.
        self._step = 1 / 127 if torch.cpu._is_vnni_supported() else 1 / 63

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """[..., in_features] -> [..., out_features] of the rows' type"""
        if rows.numel() == 0:
            return rows.new_empty(*rows.shape[:-1], self.out_features)
        scales = rows.abs().amax(dim=-1, keepdim=True).float().clamp_(min=_SMALLEST)
        output: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            rows / scales, self._step, _ZERO_POINT, self._packed
        )
        output.mul_(scales)
        return (output if self.bias is None else output.add_(self.bias)).to(rows.dtype)


def check_can_quantize(device: torch.device) -> None:
    """Raises ModelNotSupported where int8 cannot be computed."""
    if device.type != "cpu":
        raise ModelNotSupported(f"quantize int8 runs on a CPU only, not on {device.type}")
    if _ENGINE not in torch.backends.quantized.supported_engines:
        raise ModelNotSupported("quantize int8 needs a torch with FBGEMM, which this processor's has not")


@torch.inference_mode()
def quantize_linears(model: PreTrainedModel) -> int:
    """Replaces every plain linear layer but the head, whose error would be the logits' own.

    Returns the number of weights that now take 8 bits. Weights that are no linear layer's, as the embeddings
    and the experts of most mixtures, stay as they are.
    """
    get_head: Any = model.get_output_embeddings  # transformers gives it no type
    head = get_head()
    num_weights = 0
    quantized: dict[nn.Linear, Int8Linear] = {}
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is nn.Linear and child is not head:
                if child not in quantized:
                    quantized[child] = Int8Linear(child)
                    num_weights += child.weight.numel()
                setattr(parent, name, quantized[child])
    return num_weights


def _pack(linear: nn.Linear) -> object:
    weight = linear.weight.detach().float()
    scales = (weight.abs().amax(dim=1) / 127).clamp_(min=_SMALLEST).double()
    zero_points = torch.zeros(len(weight), dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch means to drop such tensors; torch is pinned
        quantized = torch.quantize_per_channel(weight, scales, zero_points, 0, torch.qint8)
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = _ENGINE
    try:
        packed: object = torch.ops.quantized.linear_prepack(quantized, None)
    finally:
        torch.backends.quantized.engine = before
    return packed
