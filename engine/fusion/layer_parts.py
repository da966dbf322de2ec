"""The parts of a decoder layer that compiled code uses."""

from typing import NamedTuple

from torch import nn

from engine.attention.scores import Scores
from engine.attention.window import Window
from engine.fusion.native_layer import RmsNorm, Rotary


class LayerParts(NamedTuple):
    """The parts of a layer, in the order of computation.

    qkv: the merged linear of queries, keys and values. sizes: their numbers of outputs. dim: the size of a
    head.
    gate_up: the merged linear of the MLP's two input projections. window, scores: the parameters with which
    the layer calls attention. linears: the model's own linear layers of each product, whose outputs are the
    product's, side by side; those of merged products are parts.
    """

    before_attention: RmsNorm
    qkv: nn.Module
    sizes: list[int]
    dim: int
    rotary: Rotary
    attention: nn.Module
    window: Window | None
    scores: Scores
    output: nn.Module
    before_mlp: RmsNorm
    gate_up: nn.Module
    down: nn.Module
    linears: tuple[tuple[nn.Module, ...], ...]
