"""The packing of linear layers whose weights are in groups of integers on disk, which stay as they are."""

from collections import Counter, deque
from collections.abc import Iterator
from functools import reduce
from typing import Final, NamedTuple, TypeGuard

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from typing_extensions import override

from engine.linear.merged_linear import JoinedLinear, Mergeable
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.layer_comparison import LayerComparison
from engine.linear.rounded.quantization import find_head
from engine.linear.unread_linear import UnreadLinear
from engine.weights.grouped_weight import GroupedWeight, GroupForm
from engine.weights.unread_weight import NotGrouped

# The largest relative difference of a layer's outputs; the rounding of activations gives 1 to 2%.
_MAX_DIFFERENCE: Final = 0.05


class StoredLinear(GroupedLinear):
    """A layer that keeps the integers of a checkpoint."""


class StoredHead(StoredLinear):
    """A head that keeps the integers of a checkpoint.

    Its rows are rounded to 16 bits: to 8, and what that leaves to 8 again.
    """

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs [..., out_features] of rows [..., in_features]."""
        numbers = rows.float()
        step = numbers.abs().amax(dim=-1, keepdim=True).clamp(min=torch.finfo(torch.float32).tiny) / 127
        coarse = (numbers / step).round_().mul_(step)
        halves = super().forward(torch.stack([coarse, numbers - coarse]))  # the bias is in both
        return (halves[0] + halves[1] - self.packed.bias[: self.out_features]).to(rows.dtype)


@torch.inference_mode()
def pack_unread_linears(model: PreTrainedModel) -> dict[str, str]:
    """Pack each unread linear layer, and each `JoinedLinear` of such, in its groups as they are stored.

    Returns the layers that have plain weights after all, by name, with the reason: their contents are no
    groups, or their outputs differ too much. Raises ModelNotSupported for contents that no weight has.
    """
    head = find_head(model)
    plain: dict[str, str] = {}
    # Layers leave the queue one by one, so that what is read of each is freed before the next.
    queue = deque(_find_unread(model))
    comparison = LayerComparison()
    while queue:
        parent, name, path, linear = queue.popleft()
        kind = StoredHead if linear is head else StoredLinear
        replacement: nn.Module
        try:
            replacement = _packed(linear, kind, comparison)
        except NotGrouped as error:
            plain[path] = str(error)
            replacement = linear.join() if isinstance(linear, JoinedLinear) else linear.read_plain()
        setattr(parent, name, replacement)
    return plain


def stored_layers(model: nn.Module) -> dict[int, int]:
    """Return how many linear layers keep a checkpoint's integers, by their bits."""
    forms = (module.packed.groups for module in model.modules() if isinstance(module, StoredLinear))
    return dict(Counter(form.bits for form in forms if form is not None))


def expected_stored_layers(model: nn.Module, mergeable: Mergeable) -> dict[int, int]:
    """Return what `stored_layers` would return once all unread layers are packed.

    model: may have no data. mergeable: as of `find_mergeable`.
    """
    forms = {path: module.unread.form for path, module in model.named_modules() if _is_unread(module)}
    paths = {module: path for path, module in model.named_modules()}
    for parent, groups in mergeable.items():
        for names in groups:
            own = [".".join(filter(None, (paths[parent], name))) for name in names]
            if all(path in forms for path in own):
                forms[own[0]] = reduce(GroupForm.with_room_for, [forms.pop(path) for path in own])
    return dict(Counter(form.bits for form in forms.values()))


def _is_unread(module: nn.Module) -> TypeGuard[UnreadLinear]:
    return isinstance(module, UnreadLinear)


class _Place(NamedTuple):
    """A layer to be packed, under a name of the module that holds it. path: from the model."""

    parent: nn.Module
    name: str
    path: str
    linear: UnreadLinear | JoinedLinear


def _find_unread(model: nn.Module) -> Iterator[_Place]:
    for path, parent in model.named_modules():
        for name, child in parent.named_children():
            if isinstance(child, UnreadLinear) or (
                isinstance(child, JoinedLinear) and all(map(_is_unread, child.linears))
            ):
                yield _Place(parent, name, f"{path}.{name}".removeprefix("."), child)


def _packed(
    linear: UnreadLinear | JoinedLinear, kind: type[StoredLinear], comparison: LayerComparison
) -> StoredLinear:
    """Return a layer in the groups that are stored. Raises NotGrouped."""
    parts = [linear] if isinstance(linear, UnreadLinear) else list(filter(_is_unread, linear.linears))
    biases = [each.plain_bias for each in parts]
    bias = None
    if any(each is not None for each in biases):
        bias = torch.cat([_bias(each, part) for each, part in zip(biases, parts, strict=True)])
    weight = GroupedWeight.concatenated([each.unread.read_groups() for each in parts])
    try:
        layer = kind.of(weight, bias)
    except ValueError as error:  # the mins of a form with room for several may be too large for float16
        raise NotGrouped(f"together with its neighbours, {error}") from error
    difference = comparison.difference(linear, layer, _MAX_DIFFERENCE)
    if not difference <= _MAX_DIFFERENCE:
        raise NotGrouped(f"its outputs differ by {difference:.1%}")
    return layer


def _bias(bias: Tensor | None, linear: nn.Linear) -> Tensor:
    return torch.zeros(linear.out_features) if bias is None else bias.float()
