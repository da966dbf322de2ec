"""The reading of an adapter from its folder into what a batch adds to linear layers."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from engine.lora.adapter_config import AdapterConfig, read_config
from engine.lora.adapter_files import Pair, pairs_of, read_files
from engine.lora.sites import Site
from engine.model.adapters import LoraAdapter, LowRank, in_panels
from engine.port.errors import CannotLoadAdapter


@torch.inference_mode()
def load_adapter(
    name: str,
    folder: Path,
    sites: Mapping[str, Site],
    *,
    max_rank: int,
    max_bytes: int,
    within: Path | None = None,
) -> LoraAdapter:
    """Read and check the adapter in this folder, for a model with these sites.

    max_rank: of any layer. max_bytes: of its files. within: the folder that no link of theirs may leave;
    None: links may lead anywhere. Raises CannotLoadAdapter, which names the adapter and the field or the
    tensor.
    """
    try:
        files = read_files(folder, max_bytes, within)
        config = read_config(files.config, max_rank)
        pairs = pairs_of(files.tensors)
        _check_targets(config, pairs, sites)
        layers = {path: _low_rank(path, pair, config, sites[path]) for path, pair in pairs.items()}
    except CannotLoadAdapter as error:
        raise CannotLoadAdapter(f"adapter {name!r}: {error}") from error
    return LoraAdapter(name, files.digest, layers)


def _check_targets(config: AdapterConfig, pairs: Mapping[str, Pair], sites: Mapping[str, Site]) -> None:
    """Check that the tensors are of the layers that the configuration names, no more and no fewer."""
    for path in pairs:
        if path not in sites:
            reason = "the model has no such linear layer, or one that adapters cannot change here"
            raise CannotLoadAdapter(f"base_model.model.{path}.lora_A.weight: {reason}")
        if not config.targets(path):
            raise CannotLoadAdapter(
                f"base_model.model.{path}.lora_A.weight: adapter_config.json's target_modules leave it out"
            )
    for path in sites:
        if path not in pairs and config.targets(path):
            raise CannotLoadAdapter(f"base_model.model.{path}.lora_A.weight is missing")
    if not pairs:
        raise CannotLoadAdapter("it changes no layer")


def _low_rank(path: str, pair: Pair, config: AdapterConfig, site: Site) -> LowRank:
    rank = config.rank(path)
    shapes = {"A": (rank, site.in_features), "B": (site.out_features, rank)}
    for (side, shape), tensor in zip(shapes.items(), pair, strict=True):
        name = f"base_model.model.{path}.lora_{side}.weight"
        if tensor.shape != shape:
            raise CannotLoadAdapter(f"{name} is {list(tensor.shape)} and must be {list(shape)}")
        if not _is_finite(tensor) or not _is_finite(tensor.to(site.dtype)):
            raise CannotLoadAdapter(f"{name} holds numbers that are not finite")
    up = pair.up.float() * config.scaling(path)
    if not _is_finite(up.to(site.dtype)):
        raise CannotLoadAdapter(f"base_model.model.{path}.lora_B.weight overflows when it is scaled")
    matrix = _on(up.T, site)
    return LowRank(_on(pair.down, site), in_panels(matrix) if site.is_stacked else matrix)


def _is_finite(tensor: Tensor) -> bool:
    return bool(torch.isfinite(tensor).all())


def _on(tensor: Tensor, site: Site) -> Tensor:
    """Return the tensor in memory of its own, in the rows' type and on their device."""
    copied = torch.empty(tensor.shape, dtype=site.dtype, device=site.device)
    return copied.copy_(tensor)
