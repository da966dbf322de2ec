"""Adapters in fused layers and stacks of them: letting these compute batches with adapters, and comparing.

Until then they leave such batches to the layers that they replace, each of whose linear layers adds its
adapters' part on its own.
"""

from collections.abc import Mapping
from typing import Final

import torch
from torch import Tensor, nn

from engine.fusion.fused_layer import FusedLayer
from engine.lora.sites import Site
from engine.model.adapters import LoraAdapter, LowRank, in_panels
from engine.model.checks.reference_pass import is_same, largest_difference
from engine.model.checks.self_check import decoded_logits, paged_logits
from engine.model.runner import ModelRunner
from engine.port.info.kernels import Kernel, Obstacle, kernel, kernel_of_layers

_RANKS: Final = (3, 6)  # of the adapters of the trial; compiled code treats one as a few, and one as many


@torch.inference_mode()
def fuse_adapters(runner: ModelRunner, sites: Mapping[str, Site], *, is_quantized: bool) -> Kernel:
    """Let fused layers compute batches with adapters if logits are then those of the layers' own code.

    sites: the linear layers that adapters change, by path. It uses the first blocks of an empty cache.
    """
    layers = [layer for layer in runner.model.modules() if isinstance(layer, FusedLayer)]
    if not layers:
        return kernel("adapters", Obstacle("no layer is fused"))
    adapters = [_random_adapter(rank, sites) for rank in _RANKS]

    def run() -> list[Tensor]:
        return [paged_logits(runner, adapters[0]), *decoded_logits(runner, (*adapters, None))]

    expected = run()
    _let_adapters(layers, {site.linear: path for path, site in sites.items()})
    differences = map(largest_difference, run(), expected)
    dtype = runner.model.dtype
    runner.forget_adapters()
    if all(is_same(difference, dtype, is_quantized=is_quantized) for difference in differences):
        return kernel_of_layers("adapters", len(layers), len(layers), None)
    _let_adapters(layers, None)
    return kernel("adapters", Obstacle("logits differ from those of the layers' own code", is_lack=True))


def _let_adapters(layers: list[FusedLayer], paths: Mapping[nn.Module, str] | None) -> None:
    for layer in layers:
        layer.takes_adapters = paths is not None
        if layer.leads is not None:
            layer.leads.let_adapters(paths)


def _random_adapter(rank: int, sites: Mapping[str, Site]) -> LoraAdapter:
    """Return an adapter that changes all layers, by about as much as their outputs are."""
    generator = torch.Generator().manual_seed(rank)

    def low_rank(site: Site) -> LowRank:
        down, up = (
            (torch.randn(rank, size, generator=generator) * scale).to(site.device, site.dtype)
            for size, scale in (
                (site.in_features, site.in_features**-0.5),
                (site.out_features, 0.5 * rank**-0.5),
            )
        )
        return LowRank(down, in_panels(up) if site.is_stacked else up)

    return LoraAdapter(f"trial {rank}", "", {path: low_rank(site) for path, site in sites.items()})
