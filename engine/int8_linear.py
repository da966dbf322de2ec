"""Linear layers with weights of 8 bits, for `quantize="int8"`.

Weights are rounded once, with a scale for each output channel. Activations are rounded at each call, with a
scale for each row, so that a token is computed alike whatever else is in its batch. A row is divided by its
largest magnitude, then rounded to 255 levels between -1 and 1; products are summed as whole numbers.

Half the bytes of bfloat16 are read for a token. The error is some 1% of a layer's output
(tests/parity/test_int8_parity.py). That of the head is the logits' own, so its activations are not rounded.
"""

from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from typing_extensions import override

from engine.channel_scales import channel_scales
from engine.errors import ModelNotSupported
from engine.fbgemm_weight import FbgemmWeight, has_fbgemm
from engine.native_linear import Int8PanelLinear, can_multiply
from engine.vnni_weight import VnniWeight, has_vnni

_MOST_INPUTS = 2**31 // 127**2  # whose products' sum always fits into 32 bits


class Int8Linear(nn.Module):
    """Computes what `nn.Linear` does, rounded; in inference alone, on a CPU. rounded: its weight.

    Raises ModelNotSupported for more inputs than can be summed.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features = linear.in_features
        self.out_features = linear.out_features
        if self.in_features > _MOST_INPUTS:
            raise ModelNotSupported(f"quantize int8 takes layers of {_MOST_INPUTS:,} inputs at most")
        weight = linear.weight.detach()
        bias: Tensor | None = linear.bias
        kind = VnniWeight if has_vnni() else FbgemmWeight
        self.rounded = kind(weight, channel_scales(weight), None if bias is None else bias.detach().float())

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """[..., in_features] -> [..., out_features] of the rows' type"""
        shape = (*rows.shape[:-1], self.out_features)
        if rows.numel() == 0:
            return rows.new_empty(shape)
        return self.rounded.multiply(rows.reshape(-1, self.in_features)).view(shape)


def check_can_quantize(device: torch.device) -> None:
    """Raises ModelNotSupported where int8 cannot be computed."""
    if device.type != "cpu":
        raise ModelNotSupported(f"quantize int8 runs on a CPU only, not on {device.type}")
    if not (has_vnni() or has_fbgemm()):
        raise ModelNotSupported("quantize int8 needs a torch with FBGEMM, which this processor's has not")


@torch.inference_mode()
def quantize_linears(model: PreTrainedModel) -> int:
    """Replaces every plain linear layer; the head only where `Int8PanelLinear` can.

    Returns the number of weights that now take 8 bits. Weights that are no linear layer's, as the embeddings
    and the experts of most mixtures, stay as they are.
    """
    get_head: Any = model.get_output_embeddings  # transformers gives it no type
    head = get_head()
    num_weights = 0
    quantized: dict[nn.Linear, nn.Module] = {}
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is nn.Linear and (child is not head or _can_quantize_head(head)):
                if child not in quantized:
                    quantized[child] = Int8PanelLinear(child) if child is head else Int8Linear(child)
                    num_weights += child.weight.numel()
                setattr(parent, name, quantized[child])
    return num_weights


def _can_quantize_head(head: nn.Linear) -> bool:
    return head.weight.dtype == torch.bfloat16 and can_multiply()
