"""The quantization of a model's linear layers at load, each of which is compared with what it replaces."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import torch
from torch import nn
from transformers import PreTrainedModel
from typing_extensions import override

from engine.linear.merged_linear import JoinedLinear, Mergeable, merged_into_others
from engine.linear.plain_linear import is_plain
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.int8_linear import Int8Head, Int8Linear
from engine.linear.rounded.layer_comparison import LayerComparison
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.native.obstacles import lacks_library
from engine.port.errors import ModelNotSupported
from engine.weights.grouped_weight import ROUNDED_FORMS, GroupForm


class Rounding(NamedTuple):
    """One way to round a layer.

    name: of its weight. layer: makes the rounded layer of the plain one. max_difference: the largest relative
    difference of a layer's outputs that is allowed. group_size: inputs must be a multiple of it.
    """

    name: str
    layer: Callable[[nn.Linear], RoundedLinear]
    max_difference: float
    group_size: int = 1


# Rounding to 8 bits gives 1 to 2%, with far outliers in the weights 4%; sums that overflowed gave 7% and
# more.
_TO_8_BITS: Final = Rounding("int8", Int8Linear, 0.05)
# Rounding to 4 bits gives 8%, with far outliers in the weights 12%. The largest groups come first.
_TO_4_BITS: Final = {
    form: Rounding(name, partial(GroupedLinear.rounded_to, form), 0.15, form.group_size)
    for name, form in sorted(ROUNDED_FORMS.items(), key=lambda item: -item[1].group_size)
}


def _down_from(form: GroupForm) -> Iterator[Rounding]:
    """Yield the rounding to a form, and those to smaller groups with mins or without as it has them."""
    for other, rounding in _TO_4_BITS.items():
        if other.has_mins == form.has_mins and other.group_size <= form.group_size:
            yield rounding


# Ways to round a layer, of which the first that a layer allows is taken.
QUANTIZATIONS: Final[Mapping[str, tuple[Rounding, ...]]] = {
    "int8": (_TO_8_BITS,),
    **{name: (*_down_from(form), _TO_8_BITS) for name, form in ROUNDED_FORMS.items()},
}
# The head's error is that of the logits, so its weight has 8 bits and its rows 16 whatever others have.
HEAD: tuple[Rounding, ...] = (Rounding("int8", Int8Head, 0.05),)


class Quantized(NamedTuple):
    """The result of quantizing a model's linear layers; a layer in several places is counted once.

    num_layers: by the name of the rounding. refused: the layers that stay as they are since their outputs
    differed too much, by name, with the smallest relative difference. wider: why layers have more bits than
    was asked for, by name.
    """

    num_layers: dict[str, int]
    num_weights: int
    refused: dict[str, float]
    wider: dict[str, str]

    @override
    def __str__(self) -> str:
        num_layers = sum(self.num_layers.values())
        return f"{num_layers} of {num_layers + len(self.refused)} linear layers"

    def kinds(self) -> str:
        """Return which roundings the layers have, such as "int4 (24) and int8 (1)"."""
        if len(self.num_layers) == 1:
            return next(iter(self.num_layers))
        *first, last = (f"{name} ({num})" for name, num in self.num_layers.items())
        return f"{', '.join(first)} and {last}"


def check_can_quantize(quantize: str, device: torch.device) -> None:
    """Raise ModelNotSupported if products of this quantization cannot be computed on this device."""
    if device.type != "cpu":
        raise ModelNotSupported(f"quantize {quantize} runs on a CPU only, not on {device.type}")
    obstacle = lacks_library()
    if obstacle is not None:
        raise ModelNotSupported(
            f"quantize {quantize} needs compiled code, which is missing: {obstacle.reason}"
        )


class Tried(NamedTuple):
    """A rounded layer, or none and the smallest difference.

    why_not_first: why the layer has not the first rounding; None if it has.
    """

    name: str
    layer: nn.Module | None
    difference: float
    why_not_first: str | None


class _Place(NamedTuple):
    """The module that holds a linear layer under a name. path: from the model."""

    parent: nn.Module
    name: str
    path: str


@torch.inference_mode()
def quantize_linears(model: PreTrainedModel, quantize: str = "int8") -> Quantized:
    """Replace every plain linear layer, and each `JoinedLinear`, by a rounded one.

    Weights outside linear layers, such as embeddings and the experts of most mixtures, stay as they are, and
    so does a layer whose outputs would differ too much. Raises ModelNotSupported if all layers would.
    """
    head, comparison = find_head(model), LayerComparison()

    def attempt(linear: nn.Linear | JoinedLinear, plain: nn.Linear) -> Tried:
        return _try_roundings(linear, plain, HEAD if linear is head else QUANTIZATIONS[quantize], comparison)

    quantized = replace_linears(model, attempt)
    if quantized.refused and not quantized.num_layers:
        raise _nothing_quantized(quantize, quantized.refused)
    return quantized


def replace_linears(
    model: PreTrainedModel, attempt: Callable[[nn.Linear | JoinedLinear, nn.Linear], Tried | None]
) -> Quantized:
    """Replace each plain linear layer, and each `JoinedLinear`, by the layer that an attempt returns.

    attempt: gets a layer, and the same with its weight as one; returns None for a layer that is left alone.
    """
    num_layers: Counter[str] = Counter()
    num_weights = 0
    refused: dict[str, float] = {}
    wider: dict[str, str] = {}
    # Layers leave the queue one by one, so that each weight is freed once it is rounded.
    queue = deque(_find_linears(model).items())
    while queue:
        linear, places = queue.popleft()
        plain = linear.join() if isinstance(linear, JoinedLinear) else linear
        tried = attempt(linear, plain)
        if tried is None:
            continue
        if tried.layer is None:
            refused[places[0].path] = tried.difference
        else:
            num_layers[tried.name] += 1
            num_weights += linear.in_features * linear.out_features
            if tried.why_not_first is not None:
                wider[places[0].path] = tried.why_not_first
        for place in places:
            setattr(place.parent, place.name, plain if tried.layer is None else tried.layer)
    return Quantized(dict(num_layers), num_weights, refused, wider)


def expected_num_layers(model: PreTrainedModel, mergeable: Mergeable, quantize: str) -> dict[str, int]:
    """Return how many layers would have each rounding after `merge_linears`, if none is refused.

    model: may have no data. mergeable: as of `find_mergeable`.
    """
    head = find_head(model)
    merged_away = merged_into_others(mergeable)
    found = [linear for linear in _find_linears(model) if linear not in merged_away]
    roundings = ((linear, HEAD if linear is head else QUANTIZATIONS[quantize]) for linear in found)
    return dict(Counter(_allowed(linear, some)[0].name for linear, some in roundings))


def _try_roundings(
    linear: nn.Linear | JoinedLinear,
    plain: nn.Linear,
    roundings: tuple[Rounding, ...],
    comparison: LayerComparison,
) -> Tried:
    """Round a layer in the first way that gives its outputs. plain: its weight as one."""
    allowed = _allowed(linear, roundings)
    why_not_first = None
    if allowed[0] is not roundings[0]:
        why_not_first = (
            f"has {allowed[0].name}: its {plain.in_features:,} inputs are no whole groups of "
            f"{roundings[0].group_size}"
        )
    differences: list[float] = []
    for rounding in allowed:
        rounded = rounding.layer(plain)
        difference = comparison.difference(linear, rounded, rounding.max_difference)
        if difference <= rounding.max_difference:
            if rounding is not allowed[0]:
                why_not_first = (
                    f"has {rounding.name}: in {allowed[0].name} its outputs differ by {differences[0]:.1%}"
                )
            return Tried(rounding.name, rounded, difference, why_not_first)
        differences.append(difference)
    return Tried("", None, min(differences), None)


def _allowed(linear: nn.Linear | JoinedLinear, roundings: tuple[Rounding, ...]) -> tuple[Rounding, ...]:
    """Return the roundings that layers of this size may have; all of a quantization's have one at least."""
    return tuple(each for each in roundings if linear.in_features % each.group_size == 0)


def find_head(model: PreTrainedModel) -> Any:
    """Return the module that computes logits; None if the model has none."""
    get_head: Any = model.get_output_embeddings  # transformers does not annotate it
    return get_head()


def _find_linears(model: PreTrainedModel) -> dict[nn.Linear | JoinedLinear, list[_Place]]:
    """Return the places of each linear layer that may be rounded, in the model's order."""
    found: dict[nn.Linear | JoinedLinear, list[_Place]] = {}
    for path, parent in model.named_modules():
        for name, child in parent.named_children():
            if isinstance(child, JoinedLinear) or is_plain(child):
                place = _Place(parent, name, f"{path}.{name}".removeprefix("."))
                found.setdefault(child, []).append(place)
    return found


def _nothing_quantized(quantize: str, differences: dict[str, float]) -> ModelNotSupported:
    name, difference = next(iter(differences.items()))
    allowed = max(rounding.max_difference for rounding in QUANTIZATIONS[quantize])
    return ModelNotSupported(
        f"quantize {quantize} gives no layer of this model its outputs: those of {name} differ by "
        f"{difference:.1%}, where {allowed:.0%} is allowed"
    )
