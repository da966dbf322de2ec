"""A model's merged and packed linear layers as a description and tensors, and the way back.

What is put back is what `merge_linears`, `quantize_linears` and `pack_linears` made of the same checkpoint at
an earlier start, when it was compared with the model's own layers.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.linear.merged_linear import MergedLinear, MergedPart
from engine.linear.packed_weight import PackedWeight
from engine.linear.panel_linear import Float16PanelLinear, PanelLinear
from engine.linear.plain_linear import is_plain
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.int8_linear import Int8Head, Int8Linear
from engine.linear.rounded.quantization import Quantized
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.linear.rounded.stored_groups import StoredHead, StoredLinear
from engine.linear.unread_linear import UnreadLinear
from engine.weights.grouped_weight import GroupForm

_Packed = PanelLinear | RoundedLinear
_KINDS: Final[Mapping[str, type[_Packed]]] = {
    kind.__name__: kind
    for kind in (
        *(PanelLinear, Float16PanelLinear),
        *(Int8Linear, Int8Head, GroupedLinear, StoredLinear, StoredHead),
    )
}


class StoredLinears(NamedTuple):
    """Layers as they are stored. description: JSON values. tensors: by names from the description."""

    description: dict[str, Any]
    tensors: dict[str, Tensor]


class DoesNotFit(Exception):
    """The error for a description that is not of this model; the message says in what."""


def describe_linears(model: PreTrainedModel, quantized: Quantized | None) -> StoredLinears | None:
    """Return the packed linears of a model; None if it has none, or merged ones that are not packed.

    quantized: the result of `quantize_linears`, if it was called.
    """
    modules = list(model.named_modules(remove_duplicate=False))
    parts = {path: module for path, module in modules if isinstance(module, MergedPart)}
    packed = {
        path: module
        for path, module in modules
        if isinstance(module, tuple(_KINDS.values())) and path.rpartition(".merged.")[0] not in parts
    }
    groups = _groups(parts)
    is_whole = all(
        isinstance(merged.linear, tuple(_KINDS.values())) and len(paths) == len(merged.sizes)
        for merged, paths in groups.items()
    )
    if not (packed or groups) or not is_whole or len(set(packed.values())) < len(packed):
        return None  # oneDNN's weights, float32, or a layer in several places
    stored = StoredLinears({"linears": {}, "groups": []}, {})
    for path, linear in packed.items():
        stored.description["linears"][path] = _store(path, linear, stored.tensors)
    for merged, paths in groups.items():
        described = {"parts": paths, "linear": _store(paths[0], merged.linear, stored.tensors)}
        stored.description["groups"].append(described)
    stored.description["quantized"] = None if quantized is None else list(quantized)
    return stored


def restore_linears(
    model: PreTrainedModel, description: Mapping[str, Any], tensors: Mapping[str, Tensor]
) -> Quantized | None:
    """Put packed linears in the place of a model's plain ones, and return the result of quantizing them.

    Raises DoesNotFit if the model has no such linears; it is as it was then.
    """
    new: dict[str, nn.Module] = {}
    for path, linear in description["linears"].items():
        packed = _restore(path, linear, tensors)
        _check_fits(model, [path], packed)
        new[path] = packed
    for group in description["groups"]:
        paths = group["parts"]
        packed = _restore(paths[0], group["linear"], tensors)
        plain = _check_fits(model, paths, packed)
        merged = MergedLinear(packed, [linear.out_features for linear in plain])
        new |= {path: MergedPart(merged, i, plain[i]) for i, path in enumerate(paths)}
    for path, module in new.items():
        parent, _, name = path.rpartition(".")
        setattr(model.get_submodule(parent), name, module)
    quantized = description["quantized"]
    return None if quantized is None else Quantized(*quantized)


def _groups(parts: Mapping[str, MergedPart]) -> dict[MergedLinear, list[str]]:
    """Return the paths of each merged linear's parts, in their order."""
    groups: dict[MergedLinear, list[str]] = {}
    for path, part in sorted(parts.items(), key=lambda item: item[1].index):
        groups.setdefault(part.merged, []).append(path)
    return groups


def _store(path: str, linear: Any, tensors: dict[str, Tensor]) -> dict[str, Any]:
    packed: PackedWeight = linear.packed
    for field in ("panels", "scales", "bias", "order"):
        if (tensor := getattr(packed, field)) is not None:
            tensors[f"{path}.{field}"] = tensor
    sizes = {"num_outputs": packed.num_outputs, "num_inputs": packed.num_inputs}
    groups = None if packed.groups is None else list(packed.groups)
    return {"kind": type(linear).__name__, "groups": groups, **sizes}


def _restore(path: str, described: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> _Packed:
    packed = PackedWeight(
        described["num_outputs"],
        described["num_inputs"],
        tensors[f"{path}.panels"],
        tensors.get(f"{path}.scales"),
        tensors[f"{path}.bias"],
        None if described["groups"] is None else GroupForm(*described["groups"]),
        tensors.get(f"{path}.order"),
    )
    return _KINDS[described["kind"]](packed)


def _check_fits(model: PreTrainedModel, paths: list[str], packed: _Packed) -> list[nn.Linear]:
    """Return the plain linears at these paths, whose outputs together are those of the packed one."""
    plain = list(_plain_linears(model, paths))
    sizes = {linear.in_features for linear in plain}, sum(linear.out_features for linear in plain)
    if sizes != ({packed.in_features}, packed.out_features):
        raise DoesNotFit(f"{paths[0]} has other sizes")
    return plain


def _plain_linears(model: PreTrainedModel, paths: list[str]) -> Iterator[nn.Linear]:
    for path in paths:
        try:
            module = model.get_submodule(path)
        except AttributeError as error:
            raise DoesNotFit(f"there is no {path}") from error
        if not (is_plain(module) or isinstance(module, UnreadLinear)):
            raise DoesNotFit(f"{path} is a {type(module).__name__}")
        yield module
