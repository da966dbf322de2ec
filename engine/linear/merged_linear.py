"""The merging of linear layers with the same input, such as those of queries, keys and values.

One large product costs less than several small ones. Layers with the same input are found by observation, not
by name: a pass of a few tokens shows which children of one module were given the same tensor. So this works
for any modelling code, and changes none of it.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from typing_extensions import override

from engine.linear.plain_linear import is_plain, readers_observed
from engine.linear.unread_linear import UnreadLinear, sampled
from engine.model.call_hooks import observed
from engine.model.checks.reference_pass import is_same, reference_logits, relative_difference
from engine.model.checks.tolerance import LINEAR
from engine.native.huge_pages import empty_tensor
from engine.weights.grouped_weight import is_same_order

_PROBE = list(range(4))

T = TypeVar("T")

Mergeable: TypeAlias = dict[nn.Module, list[tuple[str, ...]]]
"""The names of children that may become one, by their parent."""


class MergedLinear(nn.Module):
    """Several `nn.Linear` with the same input, computed as one; each output is fetched on its own.

    linear: the merged layer, whose outputs are concatenated. sizes: the number of outputs of each.
    """

    def __init__(self, linear: nn.Module, sizes: list[int]) -> None:
        super().__init__()
        self.sizes = sizes
        self.linear = linear
        self._rows: Tensor | None = None
        self._outputs: dict[int, Tensor] = {}

    def take(self, index: int, rows: Tensor) -> Tensor:
        """Return the output of the linear with this index; the first call for some rows computes all outputs.

        Each output is returned once, so that a second call computes it anew, for rows changed in place.
        """
        if rows is not self._rows or index not in self._outputs:
            self._rows = rows
            self._outputs = dict(enumerate(self.linear(rows).split(self.sizes, dim=-1)))
        output = self._outputs.pop(index)
        if not self._outputs:
            self._rows = None
        return output


class JoinedLinear(nn.Module):
    """Several `nn.Linear` with the same input whose weights stay apart until `join` makes one of them.

    So what packs or rounds one weight after another has a joined copy of no more than one in memory.
    """

    def __init__(self, linears: list[nn.Linear]) -> None:
        super().__init__()
        self.in_features = linears[0].in_features
        self.out_features = sum(linear.out_features for linear in linears)
        self.linears = tuple(linears)  # no children, which would be taken for layers that run on their own

    def join(self) -> nn.Linear:
        """Return one linear with the outputs of all, with a weight of its own."""
        plain = (each.read_plain() if isinstance(each, UnreadLinear) else each for each in self.linears)
        return _concatenate(list(plain))

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the concatenated outputs [..., out_features] of rows [..., in_features]."""
        return torch.cat([linear(rows) for linear in self.linears], dim=-1)


class MergedPart(nn.Module):
    """The replacement of one of the linears: the part of a merged layer with its index."""

    def __init__(self, merged: MergedLinear, index: int, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features = linear.in_features
        self.out_features = linear.out_features
        self.merged = merged
        self.index = index

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs [..., out_features] of rows [..., in_features], a view of the merged ones."""
        return self.merged.take(self.index, rows)


@dataclass(slots=True)
class _Group:
    """The linear children of one module that were given the same rows, and their outputs."""

    parent: nn.Module
    rows: Tensor
    names: list[str] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)

    @property
    def linears(self) -> list[nn.Linear]:
        return [self.parent.get_submodule(name) for name in self.names]  # type: ignore[misc]  # as observed


@torch.inference_mode()
def find_mergeable(model: PreTrainedModel, run: Callable[[], object]) -> Mergeable:
    """Return the children that `merge_linears` would try to merge.

    run: makes one pass of the model, which may have no data (torch's meta device).
    """
    found: Mergeable = {}
    for group in _observe(model, run)[1]:
        if _can_merge(group.linears):
            found.setdefault(group.parent, []).append(tuple(group.names))
    return found


def merged_into_others(mergeable: Mergeable) -> set[nn.Module]:
    """Return the layers that are no more once the first of each group stands for all of it."""
    return {
        parent.get_submodule(name)
        for parent, groups in mergeable.items()
        for names in groups
        for name in names[1:]
    }


@torch.inference_mode()
def merge_linears(model: PreTrainedModel, *, lazily: bool = False) -> int:
    """Merge the linears that have the same input, and return the number of merged layers.

    lazily: whether merged layers are `JoinedLinear`, for what then makes others of them; those of unread ones
    always are.

    A group stays as it is if the merged output differs from its members'; all do if the logits change. No
    more than one group's weights are in memory twice.
    """
    with sampled(model):
        expected, groups = _observe(model, lambda: reference_logits(model, _PROBE))
        merged = [group for group in groups if _can_merge(group.linears)]
        undo = [restore for group in merged if (restore := _merge(group, lazily=lazily)) is not None]
        if undo and not _still_gives(model, expected):
            for restore in undo:
                restore()
            return 0
        return len(undo)


def _observe(model: PreTrainedModel, run: Callable[[], T]) -> tuple[T, list[_Group]]:
    """Return the result of a pass, and the groups of linears that were given the same rows.

    Linears whose weights the modelling code reads are plain no more.
    """
    parents = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if is_plain(child) or isinstance(child, UnreadLinear)
    ]
    num_places = Counter(id(child) for _, _, child in parents)
    num_calls: Counter[int] = Counter()
    groups: dict[tuple[int, int], _Group] = {}

    places = {child: (parent, name) for parent, name, child in parents if num_places[id(child)] == 1}

    def note(child: nn.Linear, inputs: tuple[Any, ...], _: dict[str, Any], output: Any) -> None:
        num_calls[id(child)] += 1
        if inputs and isinstance(inputs[0], Tensor):
            parent, name = places[child]
            group = groups.setdefault((id(parent), id(inputs[0])), _Group(parent, inputs[0]))
            group.names.append(name)
            group.outputs.append(output)

    with observed(places, note), readers_observed({child for _, _, child in parents if is_plain(child)}):
        result = run()
    return result, [
        group
        for group in groups.values()
        if len(group.names) > 1 and all(num_calls[id(linear)] == 1 for linear in group.linears)
    ]


def _can_merge(linears: list[nn.Linear]) -> bool:
    if len({linear.in_features for linear in linears}) > 1:
        return False
    unread = [linear.unread for linear in linears if isinstance(linear, UnreadLinear)]
    if len(unread) == len(linears):
        first, *others = (weight.read_input_groups() for weight in unread)
        return all(is_same_order(first, other) for other in others)
    return all(map(is_plain, linears)) and len({linear.weight.dtype for linear in linears}) == 1


def _merge(group: _Group, *, lazily: bool) -> Callable[[], None] | None:
    """Replace the linears by parts of a merged one.

    Returns a function that undoes it, or None if they differ.
    """
    linears = group.linears
    lazily = lazily or isinstance(linears[0], UnreadLinear)
    whole = JoinedLinear(linears) if lazily else _concatenate(linears)
    merged = MergedLinear(whole, [linear.out_features for linear in linears])
    parts = [MergedPart(merged, index, linear) for index, linear in enumerate(linears)]
    tolerance = LINEAR.for_dtype(group.rows.dtype)
    for part, expected in zip(parts, group.outputs, strict=True):
        if not (part(group.rows) - expected).norm() <= tolerance * expected.norm():
            return None
    if isinstance(whole, nn.Linear):
        _share_weight(linears, whole)
    _put(group, parts)
    return lambda: _put(group, linears)


def _share_weight(linears: list[nn.Linear], whole: nn.Linear) -> None:
    """Let each linear's weight be its rows of the merged one, which frees its own."""
    pieces = torch.split(whole.weight, [linear.out_features for linear in linears])
    for linear, piece in zip(linears, pieces, strict=True):
        linear.weight = nn.Parameter(piece, requires_grad=False)


def _put(group: _Group, modules: list[T]) -> None:
    for name, module in zip(group.names, modules, strict=True):
        setattr(group.parent, name, module)


def _still_gives(model: PreTrainedModel, expected: Tensor) -> bool:
    try:
        difference = relative_difference(reference_logits(model, _PROBE), expected)
    except Exception:  # modelling code may raise anything if it uses attributes that parts lack
        return False
    return is_same(difference, model.dtype)


def _concatenate(linears: list[nn.Linear]) -> nn.Linear:
    biases: list[Tensor | None] = [linear.bias for linear in linears]
    has_bias = any(bias is not None for bias in biases)
    num_outputs = sum(linear.out_features for linear in linears)
    merged = nn.Linear(linears[0].in_features, num_outputs, bias=has_bias, device="meta")
    merged.weight = _constant([linear.weight for linear in linears])
    if has_bias:
        zeros = [linear.weight.new_zeros(linear.out_features) for linear in linears]
        pieces = [zero if bias is None else bias for bias, zero in zip(biases, zeros, strict=True)]
        merged.bias = _constant(pieces)
    return merged


def _constant(pieces: list[Tensor]) -> nn.Parameter:
    shape = (sum(map(len, pieces)), *pieces[0].shape[1:])
    whole = empty_tensor(shape, pieces[0].dtype) if pieces[0].is_cpu else pieces[0].new_empty(shape)
    return nn.Parameter(torch.cat(pieces, out=whole), requires_grad=False)
