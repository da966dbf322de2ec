"""The linear layers of a model that adapters may change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from engine.fusion.fused_layer import FusedLayer
from engine.linear.merged_linear import MergedPart
from engine.model.adapters import current_adapters
from engine.model.call_hooks import observed
from engine.model.checks.reference_pass import reference_logits

_PROBE: Final = [0, 1, 2]


@dataclass(frozen=True, slots=True)
class Site:
    """A linear layer that a pass calls once, with all of its rows.

    linear: the model's own, or a part of a merged one. dtype, device: those of rows. is_stacked: whether
    compiled code computes it in steps that decode, which takes adapters in panels.
    """

    linear: nn.Module
    in_features: int
    out_features: int
    dtype: torch.dtype
    device: torch.device
    is_stacked: bool = False


@torch.inference_mode()
def open_sites(model: PreTrainedModel) -> Mapping[str, Site]:
    """Let the adapters of a batch change its linear layers, and return these by path, as PEFT has it.

    A pass shows which layers those are: experts, which are given some of the rows, are none; nor is the head,
    which the runner gives only the last rows.
    """
    linears = _linears(model)
    paths = {module: path for path, module in linears.items()}
    assert len(paths) == len(linears), "a layer in several places has been counted twice"
    stacked = {
        linear
        for layer in model.modules()
        if isinstance(layer, FusedLayer) and layer.is_stacked
        for linears in layer.parts.linears
        for linear in linears
    }
    sites: dict[str, Site] = {}
    refused: set[str] = set()

    def note(module: nn.Module, inputs: tuple[Any, ...], _: dict[str, Any], output: Any) -> None:
        path = paths[module]
        site = _site(module, inputs, output, is_stacked=module in stacked)
        if site is None or path in sites:
            refused.add(path)
        else:
            sites[path] = site

    with observed(paths, note):
        reference_logits(model, _PROBE)
    head: nn.Module | None = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # of transformers
    sites = {path: site for path, site in sites.items() if path not in refused and site.linear is not head}
    for path, site in sites.items():
        _hook(path, site.linear)
    return sites


def _linears(model: nn.Module) -> dict[str, nn.Module]:
    """Return whatever maps rows to rows by a weight, by its path in the model as it was loaded."""
    found: dict[str, nn.Module] = {}
    stack = [("", model)]
    while stack:
        path, module = stack.pop()
        if isinstance(module, FusedLayer):
            stack.append((path, module.layer))
        elif isinstance(module, MergedPart | Conv1D) or hasattr(module, "in_features"):
            found[path] = module
        else:
            stack += [(f"{path}.{name}".lstrip("."), child) for name, child in module.named_children()]
    places: dict[nn.Module, int] = {}
    for module in found.values():
        places[module] = places.get(module, 0) + 1
    return {path: module for path, module in found.items() if places[module] == 1}


def _site(linear: nn.Module, inputs: tuple[Any, ...], output: Any, *, is_stacked: bool) -> Site | None:
    if not (len(inputs) == 1 and isinstance(inputs[0], Tensor) and isinstance(output, Tensor)):
        return None
    rows = inputs[0]
    shape = (1, len(_PROBE))
    if rows.dim() != 3 or rows.shape[:2] != shape or output.dim() != 3 or output.shape[:2] != shape:
        return None
    return Site(linear, rows.shape[2], output.shape[2], output.dtype, output.device, is_stacked)


def _hook(path: str, linear: nn.Module) -> None:
    """Change the outputs of a linear layer, or its outputs among those of the merged one that computes it."""
    own = slice(None)
    if isinstance(linear, MergedPart):
        first = sum(linear.merged.sizes[: linear.index])
        own = slice(first, first + linear.out_features)
        linear = linear.merged.linear

    def change(_: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        if (adapted := current_adapters.get()) is not None:
            adapted.add(path, inputs[0], output[..., own])

    linear.register_forward_hook(change)
