"""The layer of an attention module that serves several layers, as in Zamba."""

import inspect
from typing import Any

from torch import nn


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
