"""Linear layers with weights of 8 bits, for `quantize="int8"`.

Weights are rounded once, with a scale for each output channel. Activations are rounded at each call, with a
scale for each row, so that a token is computed alike whatever else is in its batch. A row is divided by its
largest magnitude, then rounded to 255 levels between -1 and 1, fewer where there is no VNNI; products are
summed as integers.

A token needs half of the memory reads of bfloat16. The error is about 1% of a layer's output
(tests/parity/test_int8_parity.py). The head's error is that of the logits, so its activations are not
rounded. Each layer is compared with the plain one before it replaces it.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from typing_extensions import override

from engine.errors import ModelNotSupported
from engine.linear.channel_scales import channel_scales
from engine.linear.fbgemm_weight import FbgemmWeight, has_fbgemm
from engine.linear.panel_linear import Int8PanelLinear
from engine.linear.vnni_weight import VnniWeight, has_vnni
from engine.native.bfloat16 import has_compiled_bfloat16
from engine.native.instructions import usable_instructions

_MOST_INPUTS = 2**31 // 127**2  # the sum of their products always fits into 32 bits
# The largest relative difference of a layer's outputs. Rounding gives 1 to 2%, with far outliers in the
# weights 4%; sums that overflowed gave 7% and more.
MAX_DIFFERENCE = 0.05
_NUM_TRIED_ROWS = 4


class Int8Linear(nn.Module):
    """A replacement of `nn.Linear` for inference on a CPU, with rounded weights and activations.

    rounded: its weight. Raises ModelNotSupported for more inputs than can be summed in 32 bits.
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
        """Return the outputs of rows [..., in_features]: [..., out_features] of their dtype."""
        shape = (*rows.shape[:-1], self.out_features)
        if rows.numel() == 0:
            return rows.new_empty(shape)
        return self.rounded.multiply(rows.reshape(-1, self.in_features)).view(shape)


class Quantized(NamedTuple):
    """The result of quantizing a model's linear layers; a layer in several places is counted once.

    refused: the layers that stay as they are since their outputs differed too much, by name, with the
    relative difference.
    """

    num_layers: int
    num_weights: int
    refused: dict[str, float]

    @override
    def __str__(self) -> str:
        num_tried = self.num_layers + len(self.refused)
        return f"{self.num_layers} of {num_tried} linear layers"


def check_can_quantize(device: torch.device) -> None:
    """Raise ModelNotSupported if int8 products cannot be computed on this device."""
    if device.type != "cpu":
        raise ModelNotSupported(f"quantize int8 runs on a CPU only, not on {device.type}")
    if not (has_vnni() or has_fbgemm()):
        raise ModelNotSupported(
            "quantize int8 needs AVX2 and a torch with FBGEMM whose sums are right; "
            f"this processor is used up to {usable_instructions().label}"
        )


class _Place(NamedTuple):
    """A linear layer, and the module that holds it under a name."""

    parent: nn.Module
    name: str
    path: str  # from the model
    linear: nn.Linear


@torch.inference_mode()
def quantize_linears(model: PreTrainedModel) -> Quantized:
    """Replace every plain linear layer by one of 8 bits; the head only where `Int8PanelLinear` can be used.

    Weights outside linear layers, such as embeddings and the experts of most mixtures, stay as they are, and
    so does a layer whose outputs would differ too much. Raises ModelNotSupported if all layers would.
    """
    get_head: Any = model.get_output_embeddings  # transformers does not annotate it
    head = get_head()
    rounded: dict[nn.Linear, nn.Module] = {}
    refused: dict[nn.Linear, tuple[str, float]] = {}
    for parent, name, path, linear in _plain_linears(model):
        if linear is head and not _can_quantize_head(head):
            continue
        if linear not in rounded and linear not in refused:
            replacement = Int8PanelLinear(linear) if linear is head else Int8Linear(linear)
            difference = _difference(linear, replacement)
            if difference <= MAX_DIFFERENCE:
                rounded[linear] = replacement
            else:
                refused[linear] = path, difference
        if linear in rounded:
            setattr(parent, name, rounded[linear])
    differences = dict(refused.values())
    if differences and not rounded:
        raise _nothing_quantized(differences)
    return Quantized(len(rounded), sum(linear.weight.numel() for linear in rounded), differences)


def _plain_linears(model: PreTrainedModel) -> list[_Place]:
    """Return the places of all `nn.Linear`; one in several places has each of them."""
    return [
        _Place(parent, name, f"{path}.{name}".removeprefix("."), child)
        for path, parent in model.named_modules()
        for name, child in parent.named_children()
        if type(child) is nn.Linear
    ]


def _nothing_quantized(differences: dict[str, float]) -> ModelNotSupported:
    name, difference = next(iter(differences.items()))
    return ModelNotSupported(
        f"quantize int8 gives no layer of this model its outputs: those of {name} differ by "
        f"{difference:.1%}, where {MAX_DIFFERENCE:.0%} is allowed"
    )


def _difference(plain: nn.Linear, rounded: nn.Module) -> float:
    """Return the relative difference of the outputs for a few random rows; NaN if these hold NaN."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(_NUM_TRIED_ROWS, plain.in_features, generator=generator).to(plain.weight.dtype)
    expected, actual = plain(rows).float(), rounded(rows).float()
    smallest = torch.finfo(torch.float32).tiny  # for a layer of zeros, whose outputs are zeros
    return float((actual - expected).norm() / expected.norm().clamp(min=smallest))


def _can_quantize_head(head: nn.Linear) -> bool:
    return head.weight.dtype == torch.bfloat16 and has_compiled_bfloat16()
