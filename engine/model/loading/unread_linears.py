"""The linear layers whose weights stay in groups of integers, and are read after the model is made.

transformers is given a stand-in for each of these weights: zeros of the right shape that take no memory.
"""

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig

from engine.model.loading.skeleton import skeleton_of
from engine.model.loading.text_part import is_of_text
from engine.weights.unread_weight import UnreadWeight


class LinearWeights(NamedTuple):
    """The names of a model's tensors that are weights of plain linear layers.

    alone: of layers that share them with nothing. tied: by the head's, that of the embedding that it shares.
    """

    alone: frozenset[str]
    tied: Mapping[str, str]


def find_linear_weights(model_config: PreTrainedConfig) -> LinearWeights:
    """Return the weights of linear layers; none of a model that reads more than text, or of its own code."""
    if not is_of_text(model_config):
        return LinearWeights(frozenset(), {})
    try:
        model = skeleton_of(model_config)
    except Exception:  # modelling code may raise anything; the loading of the weights reports it
        return LinearWeights(frozenset(), {})
    found: dict[nn.Parameter, list[str]] = {}
    linears: list[tuple[str, nn.Parameter]] = []
    for path, module in model.named_modules():
        for name, parameter in module.named_parameters(recurse=False):
            found.setdefault(parameter, []).append(f"{path}.{name}")
            if type(module) is nn.Linear and name == "weight":
                linears.append((f"{path}.{name}", parameter))
    alone = frozenset(name for name, parameter in linears if len(found[parameter]) == 1)
    tied = {name: other for name, parameter in linears for other in found[parameter][:1] if other != name}
    return LinearWeights(alone, tied)


class UnreadLinears(NamedTuple):
    """The weights of linear layers that are not read, by the model's names.

    num_replaced: how many numbers would be in memory in their place; those of an embedding come in addition.
    are_all: whether no linear layer has another weight.
    """

    weights: Mapping[str, UnreadWeight]
    num_replaced: int
    are_all: bool = False


def unread_linears(found: Mapping[str, UnreadWeight], model_config: PreTrainedConfig) -> UnreadLinears:
    """Return which of the matrices that are found are weights of linear layers, or shared by one."""
    if not found:
        return UnreadLinears({}, 0)
    alone, tied = find_linear_weights(model_config)
    weights = {name: weight for name, weight in found.items() if name in alone}
    num_replaced = sum(math.prod(weight.shape) for weight in weights.values())
    shared = {name: found[embedding] for name, embedding in tied.items() if embedding in found}
    return UnreadLinears(
        {**weights, **shared}, num_replaced, are_all=alone <= weights.keys() and tied.keys() <= shared.keys()
    )


class StandIn:
    """An object that transformers reads in the place of a weight, whose zeros take no memory."""

    def __init__(self, shape: tuple[int, ...], dtype: torch.dtype) -> None:
        self.shape, self.dtype = shape, dtype

    def __getitem__(self, whole: object) -> Tensor:
        """Return zeros. whole: an ellipsis, which is all that transformers asks for."""
        return torch.zeros(1, dtype=self.dtype).expand(self.shape)


def put_stand_ins(
    weights: Mapping[str, object], unread: Mapping[str, UnreadWeight], dtype: torch.dtype
) -> dict[str, object]:
    """Return what transformers reads the weights from, by name, with stand-ins for those that are unread."""
    stand_ins = {name: StandIn(each.shape, dtype) for name, each in unread.items() if name in weights}
    return {**weights, **stand_ins}


def check_stand_ins(model: nn.Module, unread: Collection[str]) -> None:
    """Check that each stand-in is the weight of its linear layer, and that no other tensor is made of one."""
    for path, module in model.named_modules():
        for name, parameter in module.named_parameters(recurse=False):
            is_stand_in = parameter.dim() == 2 and parameter.stride() == (0, 0) and parameter.numel() > 1
            is_unread = f"{path}.{name}" in unread and type(module) is nn.Linear
            assert is_unread or not is_stand_in, f"{path}.{name} was to be read as it is"
