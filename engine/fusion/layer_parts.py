"""What compiled code needs to know of a decoder layer."""

from typing import NamedTuple

from torch import nn

from engine.attention.scores import Scores
from engine.fusion.native_layer import RmsNorm, Rotary


class LayerParts(NamedTuple):
    """What a layer is made of, in order.

    qkv: queries, keys and values in one product; their sizes; dim: of a head. gate_up: gates, and
    what they are for, in one product. window, scores: what the layer's attention asks for.
    """

    before_attention: RmsNorm
    qkv: nn.Module
    sizes: list[int]
    dim: int
    rotary: Rotary
    attention: nn.Module
    window: int | None
    scores: Scores
    output: nn.Module
    before_mlp: RmsNorm
    gate_up: nn.Module
    down: nn.Module
