"""Linear layers with weights of 8 bits, for `quantize="int8"`.

Weights are rounded once, with a scale for each output channel. Activations are rounded at each call, with a
scale for each row, so that a token is computed alike whatever else is in its batch. A row is divided by its
largest magnitude, then rounded to 255 levels between -1 and 1; products are summed as integers, so that all
processors compute the same.

A token needs half of the memory reads of bfloat16. The error is about 1% of a layer's output
(tests/parity/test_int8_parity.py). The head's error is that of the logits, so its activations are rounded to
16 bits. Each layer is compared with the plain one before it replaces it.
"""

from collections import deque
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from typing_extensions import override

from engine.errors import ModelNotSupported
from engine.linear.channel_scales import channel_blocks
from engine.linear.int8_weight import Int8Weight, RowBits
from engine.linear.merged_linear import JoinedLinear, Mergeable
from engine.linear.native_channels import native_scales
from engine.linear.packed_weight import PackedWeight
from engine.linear.plain_linear import is_plain
from engine.native.obstacles import lacks_library

_MOST_INPUTS = 2**31 // 127**2  # the sum of their products always fits into 32 bits
# The largest relative difference of a layer's outputs. Rounding gives 1 to 2%, with far outliers in the
# weights 4%; sums that overflowed gave 7% and more.
MAX_DIFFERENCE = 0.05
_NUM_TRIED_ROWS = 4


class RoundedLinear(nn.Module):
    """A replacement of `nn.Linear` for inference on a CPU, with rounded weights and activations.

    row_bits: of activations. rounded: its weight. Raises ModelNotSupported for more inputs than can be summed
    in 32 bits.
    """

    row_bits: ClassVar[RowBits]

    def __init__(self, linear: nn.Linear | PackedWeight) -> None:
        """Round and pack the layer's weight, or take a packed one."""
        super().__init__()
        if isinstance(linear, PackedWeight):
            self.in_features, self.out_features = linear.num_inputs, linear.num_outputs
            self.rounded = Int8Weight(linear, row_bits=self.row_bits)
            return
        self.in_features, self.out_features = linear.in_features, linear.out_features
        if self.in_features > _MOST_INPUTS:
            raise ModelNotSupported(f"quantize int8 takes layers of {_MOST_INPUTS:,} inputs at most")
        weight = linear.weight.detach()
        scales = native_scales(weight)
        self.rounded = Int8Weight.of(weight, scales, linear.bias, row_bits=self.row_bits)

    @property
    def packed(self) -> PackedWeight:
        """The weight."""
        return self.rounded.packed

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs of rows [..., in_features]: [..., out_features] of their dtype."""
        shape = (*rows.shape[:-1], self.out_features)
        if rows.numel() == 0:
            return rows.new_empty(shape)
        return self.rounded.multiply(rows.reshape(-1, self.in_features)).view(shape)


class Int8Linear(RoundedLinear):
    """A layer with activations of 8 bits."""

    row_bits = 8


class Int8Head(RoundedLinear):
    """A layer with activations of 16 bits: only the rounding of its weight tells in its outputs."""

    row_bits = 16


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
    obstacle = lacks_library()
    if obstacle is not None:
        raise ModelNotSupported(f"quantize int8 needs compiled code, which is missing: {obstacle.reason}")


class _Place(NamedTuple):
    """The module that holds a linear layer under a name. path: from the model."""

    parent: nn.Module
    name: str
    path: str


@torch.inference_mode()
def quantize_linears(model: PreTrainedModel) -> Quantized:
    """Replace every plain linear layer, and each `JoinedLinear`, by one of 8 bits.

    Weights outside linear layers, such as embeddings and the experts of most mixtures, stay as they are, and
    so does a layer whose outputs would differ too much. Raises ModelNotSupported if all layers would.
    """
    get_head: Any = model.get_output_embeddings  # transformers does not annotate it
    head = get_head()
    num_layers = num_weights = 0
    refused: dict[str, float] = {}
    # Layers leave the queue one by one, so that each weight is freed once it is rounded.
    queue = deque(_find_linears(model).items())
    while queue:
        linear, places = queue.popleft()
        plain = linear.join() if isinstance(linear, JoinedLinear) else linear
        replacement: nn.Module = Int8Head(plain) if linear is head else Int8Linear(plain)
        difference = _difference(linear, replacement)
        if difference <= MAX_DIFFERENCE:
            num_layers += 1
            num_weights += linear.in_features * linear.out_features
        else:
            refused[places[0].path] = difference
            replacement = plain
        for place in places:
            setattr(place.parent, place.name, replacement)
    if refused and not num_layers:
        raise _nothing_quantized(refused)
    return Quantized(num_layers, num_weights, refused)


def expected_num_layers(model: PreTrainedModel, mergeable: Mergeable) -> int:
    """Return how many layers would have 8 bits after `merge_linears`, if none is refused.

    model: may have no data. mergeable: as of `find_mergeable`.
    """
    num_merged_away = sum(len(names) - 1 for groups in mergeable.values() for names in groups)
    return len(_find_linears(model)) - num_merged_away


def _find_linears(model: PreTrainedModel) -> dict[nn.Linear | JoinedLinear, list[_Place]]:
    """Return the places of each linear layer that may be rounded, in the model's order."""
    found: dict[nn.Linear | JoinedLinear, list[_Place]] = {}
    for path, parent in model.named_modules():
        for name, child in parent.named_children():
            if isinstance(child, JoinedLinear) or is_plain(child):
                place = _Place(parent, name, f"{path}.{name}".removeprefix("."))
                found.setdefault(child, []).append(place)
    return found


def _nothing_quantized(differences: dict[str, float]) -> ModelNotSupported:
    name, difference = next(iter(differences.items()))
    return ModelNotSupported(
        f"quantize int8 gives no layer of this model its outputs: those of {name} differ by "
        f"{difference:.1%}, where {MAX_DIFFERENCE:.0%} is allowed"
    )


def _difference(plain: nn.Linear | JoinedLinear, rounded: nn.Module) -> float:
    """Return the relative difference of the outputs for a few random rows; NaN if these hold NaN."""
    linears = plain.linears if isinstance(plain, JoinedLinear) else (plain,)
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(_NUM_TRIED_ROWS, plain.in_features, generator=generator).to(linears[0].weight.dtype)
    expected = torch.cat([output for linear in linears for output in _outputs(linear, rows)], dim=-1).float()
    actual = rounded(rows).float()
    smallest = torch.finfo(torch.float32).tiny  # for a layer of zeros, whose outputs are zeros
    return float((actual - expected).norm() / expected.norm().clamp(min=smallest))


def _outputs(linear: nn.Linear, rows: Tensor) -> Iterator[Tensor]:
    """Yield the outputs, some channels at a time: torch copies a weight of 16 bits to multiply it."""
    bias: Tensor | None = linear.bias
    for block in channel_blocks(linear.weight):
        yield nn.functional.linear(rows, linear.weight[block], None if bias is None else bias[block])
