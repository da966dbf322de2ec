"""The check that a checkpoint holds the tensors that its config.json describes, each once and no others.

transformers fills what is missing with random numbers and ignores what it does not expect. Either may mean
that config.json belongs to another model, which would be served as if all were well.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel

from engine.model.loading.checkpoint.config_numbers import sizes
from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.port.errors import ModelNotSupported
from engine.weights.finite import are_finite

_MAX_NAMED = 3  # weights that a message names
_LAYER_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
# Constants that old checkpoints hold, and the scales of an 8-bit cache, which is not used.
_HARMLESS: Final = re.compile(
    r"(rotary_emb\.\w+|inv_freq|position_ids|masked_bias|causal_mask|num_batches_tracked|[kv]_scale|kv_scale)$"
)
_MOST_TIMES: Final = 16


def check_plausible(directory: Path, config: PreTrainedConfig, tensors: Mapping[str, StoredTensor]) -> None:
    """Raise ModelNotSupported for sizes far beyond those of the weights.

    A model of such sizes would take all memory before a tensor is found to have another shape.
    """
    largest = max((size for tensor in tensors.values() for size in tensor.shape), default=0)
    for name, size in sizes(config):
        if size > _MOST_TIMES * largest:
            raise ModelNotSupported(
                f"the weights in {directory} do not fit its config.json: {name} is {size}, and no tensor has "
                f"a dimension above {largest}"
            )
    if config.num_hidden_layers > len(tensors):
        raise ModelNotSupported(
            f"the weights in {directory} do not fit its config.json: num_hidden_layers is "
            f"{config.num_hidden_layers}, and there are {len(tensors)} tensors"
        )


def check_complete(
    directory: Path, model: PreTrainedModel, found: Mapping[str, Any], on_progress: Callable[[str], None]
) -> None:
    """Compare what was found with what the model has. found: transformers' loading info.

    Raises ModelNotSupported for missing, misshapen and surplus tensors. on_progress: called with the parts
    of the checkpoint that the model does not have, such as those for images.
    """
    if wrong := sorted(found["mismatched_keys"]):
        name, stored, expected = wrong[0]
        others = f", and {len(wrong) - 1} more have other shapes too" if len(wrong) > 1 else ""
        raise ModelNotSupported(
            f"the weights in {directory} do not fit its config.json: {name} is {list(stored)}, "
            f"which should be {list(expected)}{others}"
        )
    if found["missing_keys"]:
        raise ModelNotSupported(
            f"the weights in {directory} lack what its config.json describes: {_named(found['missing_keys'])}"
        )
    unexpected = [name for name in found["unexpected_keys"] if not _HARMLESS.search(name)]
    _check_layers(directory, model, unexpected)
    if inside := [name for name in unexpected if _is_inside(name, model)]:
        raise ModelNotSupported(
            f"the weights in {directory} hold tensors inside the model that its config.json does not "
            f"describe, and without which it would be another model: {_named(inside)}"
        )
    if unexpected:
        parts = dict.fromkeys(_part(name) for name in sorted(unexpected))
        on_progress(f"not used: {len(unexpected)} tensors of {_named(parts)}, which are no part of the model")


def check_finite(directory: Path, weights: Iterable[tuple[str, Tensor]]) -> None:
    """Raise ModelNotSupported for weights that hold NaN or infinity, by name; quantized ones are not read."""
    broken = [
        name
        for name, weight in weights
        if type(weight) is nn.Parameter and weight.dtype in _FLOATS and not are_finite(weight)
    ]
    if broken:
        raise ModelNotSupported(f"the weights in {directory} hold NaN or infinity: {_named(broken)}")


_FLOATS: Final = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


def _check_layers(directory: Path, model: PreTrainedModel, unexpected: Collection[str]) -> None:
    """Raise ModelNotSupported for layers that would be ignored; unused heads for other tasks are accepted."""
    config = model.config.get_text_config()
    num_layers = int(config.num_hidden_layers)
    # Layers for multi-token prediction come after the model's own (DeepSeek-V3, section 2.2).
    num_drafting = int(getattr(config, "num_nextn_predict_layers", None) or 0)
    names = set(model.state_dict())
    surplus = [
        name
        for name in unexpected
        if (number := _LAYER_NUMBER.search(name))
        and int(number[0]) >= num_layers + num_drafting
        and _LAYER_NUMBER.sub("0", name, count=1) in names
    ]
    if surplus:
        raise ModelNotSupported(
            f"the weights in {directory} have more layers than its config.json, which says {num_layers}: "
            f"{_named(surplus)}"
        )


def _is_inside(name: str, model: PreTrainedModel) -> bool:
    """Return whether a tensor would belong to a module that computes: of a decoder layer, or a lone one."""
    parents = name.split(".")[:-1]
    while parents and not _has_module(model, ".".join(parents)):
        parents.pop()
    if any(part.isdigit() for part in parents):  # in a layer that the model has
        return True
    is_parent = len(parents) == name.count(".")
    return bool(parents) and is_parent and not list(model.get_submodule(".".join(parents)).children())


def _has_module(model: nn.Module, path: str) -> bool:
    try:
        model.get_submodule(path)
    except AttributeError:
        return False
    return True


def _part(name: str) -> str:
    """Return the part of a checkpoint that a tensor belongs to, such as `model.visual`."""
    return ".".join(name.split(".")[:2]).removesuffix(".weight")


def _named(names: Collection[str]) -> str:
    shown = ", ".join(sorted(names)[:_MAX_NAMED])
    return shown + (f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else "")
