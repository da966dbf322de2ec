"""The adaptation of a model's modules to batches of many sequences, beyond the attention interface."""

import inspect
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from engine.attention.window import hold_windows
from engine.model.adaptation.cached_lengths import give_cached_lengths
from engine.model.adaptation.indexers import adapt_indexers


def name_layers(model: nn.Module) -> None:
    """Let modules that are told their layer in each call hold it as `layer_idx`.

    Attention looks for it there. Others have the `layer_idx` that they were made with.
    """
    for module in model.modules():
        if hasattr(module, "layer_idx") and "layer_idx" in inspect.signature(module.forward).parameters:
            module.register_forward_pre_hook(_hold_layer, with_kwargs=True)


def _hold_layer(module: Any, _: tuple[Any, ...], named: dict[str, Any]) -> None:
    if named.get("layer_idx") is not None:
        module.layer_idx = named["layer_idx"]


def adapt_modules(model: PreTrainedModel) -> None:
    """Let modules tell attention what it must know, and learn from the batch what they take from a cache.

    Raises NoPagedAttention as `adapt_indexers` does.
    """
    name_layers(model)
    hold_windows(model)
    give_cached_lengths(model)
    adapt_indexers(model)
