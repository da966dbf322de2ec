"""A module that serves several layers holds the one of its running call; others keep their own."""

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.model.adaptation.adapted_modules import name_layers


class Shared(nn.Module):
    """An attention module that each call tells its layer, as Zamba's."""

    def __init__(self) -> None:
        super().__init__()
        self.layer_idx: int | None = None
        self.seen: list[int | None] = []

    @override
    def forward(self, rows: Tensor, layer_idx: int | None = None) -> Tensor:
        self.seen.append(self.layer_idx)
        return rows


class Own(nn.Module):
    """An attention module of one layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer_idx = 3

    @override
    def forward(self, rows: Tensor) -> Tensor:
        return rows


def test_a_shared_module_holds_the_layer_of_its_call() -> None:
    shared = Shared()
    name_layers(nn.ModuleList([shared]))
    for layer in (2, 5, 2):
        shared(torch.zeros(1), layer_idx=layer)
    shared(torch.zeros(1))
    assert shared.seen == [2, 5, 2, 2], "a call that tells none leaves it"


def test_a_module_of_one_layer_keeps_its_own() -> None:
    own = Own()
    name_layers(nn.ModuleList([own]))
    own(torch.zeros(1))
    assert own.layer_idx == 3 and not own._forward_pre_hooks
