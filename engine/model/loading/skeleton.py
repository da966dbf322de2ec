"""The modules of a model without data, which are looked at before its weights are read.

Making them takes a tenth of a second for two dozen layers, and several looks are needed for one start.
"""

from copy import deepcopy
from typing import Final, NamedTuple

import torch
from transformers import PreTrainedConfig, PreTrainedModel

from engine.model.loading.text_part import new_model


class _Made(NamedTuple):
    """A skeleton, and the configuration that it was made of as text."""

    described: tuple[str, str]
    model: PreTrainedModel


_last: Final[list[_Made]] = []


def skeleton_of(config: PreTrainedConfig) -> PreTrainedModel:
    """Return a model on torch's meta device, only for reading: it is kept until `forget_skeleton`.

    Raises whatever modelling code raises for a model that cannot be made from its configuration.
    """
    described = type(config).__qualname__, config.to_json_string(use_diff=False)
    if not _last or _last[0].described != described:
        with torch.device("meta"):
            model = new_model(deepcopy(config))  # which writes into its config
        _last[:] = [_Made(described, model)]
    return _last[0].model


def forget_skeleton() -> None:
    """Free the skeleton that is kept."""
    _last.clear()
