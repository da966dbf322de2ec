"""Linear layers with weights and activations of 8-bit floating point, for `quantize="fp8"`, on a GPU.

Weights are rounded once to E4M3, with a scale for each output channel, and activations at each call, with a
scale for each row, so that a token is computed alike whatever else is in its batch. torch multiplies them
(`torch.nn.functional.scaled_mm`). The head keeps its weight, since its error is that of the logits.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import ScalingType, scaled_mm
from transformers import PreTrainedModel
from typing_extensions import override

from engine.linear.merged_linear import JoinedLinear
from engine.linear.plain_linear import is_plain
from engine.linear.rounded.quantization import Quantized, Tried, find_head, replace_linears
from engine.port.errors import ModelNotSupported

# Takes rows [n, k] and a weight [k, m] of 8 bits, their scales [n, 1] and [1, m] in float32, and the type of
# the outputs [n, m].
ScaledProduct = Callable[[Tensor, Tensor, Tensor, Tensor, torch.dtype], Tensor]

_TYPE: Final = torch.float8_e4m3fn
_LARGEST: Final = torch.finfo(_TYPE).max
_MULTIPLE: Final = 16  # of inputs and of outputs
_FIRST_CAPABILITY: Final = (8, 9)
# Rounding both to 3 bits of mantissa gives about 4%. Wrong scales or a wrong layout give far more.
_MOST_DIFFERENCE: Final = 0.08
_NUM_TRIED_ROWS: Final = 16


def by_torch(rows: Tensor, weight: Tensor, row_scales: Tensor, scales: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the product by torch's own kernel for GPUs."""
    by_row = ScalingType.RowWise
    return scaled_mm(rows, weight, row_scales, by_row, scales, by_row, output_dtype=dtype)


class Rounded(NamedTuple):
    """A tensor in 8 bits, and what its rows are multiplied by: float32 [n, 1]."""

    values: Tensor
    scales: Tensor

    @classmethod
    def of(cls, rows: Tensor) -> "Rounded":
        """Round the rows of [n, m], each by its own largest magnitude."""
        rows = rows.float()
        scales = (rows.abs().amax(dim=-1, keepdim=True) / _LARGEST).clamp(min=torch.finfo(torch.float32).tiny)
        return cls((rows / scales).clamp(-_LARGEST, _LARGEST).to(_TYPE), scales)


class Fp8Linear(nn.Module):
    """A replacement of `nn.Linear` for inference. product: multiplies."""

    weight: Tensor
    scales: Tensor

    def __init__(self, linear: nn.Linear, product: ScaledProduct = by_torch) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        weight = Rounded.of(linear.weight.detach())
        self.register_buffer("weight", weight.values)
        self.register_buffer("scales", weight.scales.T.contiguous())
        self.bias = linear.bias
        self._product = product

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs of rows [..., in_features]: [..., out_features] of their dtype."""
        rounded = Rounded.of(rows.reshape(-1, self.in_features))
        output = self._product(rounded.values, self.weight.T, rounded.scales, self.scales, rows.dtype)
        if self.bias is not None:
            output = output + self.bias
        return output.view(*rows.shape[:-1], self.out_features)


def check_can_round(device: torch.device) -> None:
    """Raise ModelNotSupported if a device has no such products."""
    if device.type != "cuda":
        raise ModelNotSupported(f"quantize fp8 runs on a GPU only, not on {device.type}")
    if (capability := torch.cuda.get_device_capability(device)) < _FIRST_CAPABILITY:
        number = ".".join(map(str, capability))
        raise ModelNotSupported(f"quantize fp8 needs compute capability 8.9 or later; {device} has {number}")


@torch.inference_mode()
def round_to_fp8(model: PreTrainedModel, product: ScaledProduct = by_torch) -> Quantized:
    """Replace every plain linear layer by one of 8 bits, but the head, and those that give other outputs.

    Raises ModelNotSupported if all do, or if the device has no product.
    """
    head = find_head(model)

    def attempt(linear: nn.Linear | JoinedLinear, plain: nn.Linear) -> Tried | None:
        if not _may_be_rounded(linear, head):
            return None
        rounded = Fp8Linear(plain, product)
        try:
            difference = _difference(plain, rounded)
        except RuntimeError as error:
            raise ModelNotSupported(f"quantize fp8 cannot be computed here: {error}") from error
        is_same = difference <= _MOST_DIFFERENCE  # not if it is NaN
        return Tried("fp8", rounded if is_same else None, difference, None)

    quantized = replace_linears(model, attempt)
    if not quantized.num_layers:
        raise ModelNotSupported("quantize fp8 gives no layer of this model its outputs")
    return quantized


def fp8_layers(model: PreTrainedModel) -> Iterator[tuple[str, nn.Linear]]:
    """Yield the layers that may be rounded, with their paths."""
    head = find_head(model)
    for path, layer in model.named_modules():
        if is_plain(layer):
            assert isinstance(layer, nn.Linear)
            if _may_be_rounded(layer, head):
                yield path, layer


def _may_be_rounded(linear: nn.Linear | JoinedLinear, head: object) -> bool:
    sizes = (linear.in_features, linear.out_features)
    return linear is not head and all(size % _MULTIPLE == 0 for size in sizes)


def _difference(linear: nn.Linear, rounded: Fp8Linear) -> float:
    """Return the relative difference of the outputs for random rows."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(_NUM_TRIED_ROWS, linear.in_features, generator=generator).to(linear.weight)
    expected = linear(rows).float()
    return float((rounded(rows).float() - expected).norm() / expected.norm().clamp(min=1e-30))
