"""The weights of linear layers in the form that compiled decoder layers take."""

from typing import NamedTuple

from torch import nn

from engine.linear.int8_linear import Int8Linear
from engine.linear.panel_linear import PanelLinear
from engine.linear.vnni_weight import VnniWeight
from engine.native.structures import WeightFields


class NativeWeights(NamedTuple):
    """The weights of some linears, all of one kind.

    kind: "bfloat16" or "int8", which is part of the names of the functions that take them. fields: structures
    with addresses in memory that the linears own.
    """

    kind: str
    fields: list[WeightFields]


def native_weights(*linears: nn.Module) -> NativeWeights | None:
    """Return the weights of these linears; None if they are not all of one kind."""
    panels = [_of_panels(linear) for linear in linears if isinstance(linear, PanelLinear)]
    rounded = [linear.rounded for linear in linears if isinstance(linear, Int8Linear)]
    of_int8 = [weight.fields for weight in rounded if isinstance(weight, VnniWeight)]
    kinds = (NativeWeights("bfloat16", panels), NativeWeights("int8", of_int8))
    return next((kind for kind in kinds if len(kind.fields) == len(linears)), None)


def _of_panels(linear: PanelLinear) -> WeightFields:
    addresses = linear.panels.data_ptr(), None, linear.bias.data_ptr()
    return WeightFields(*addresses, linear.in_features, linear.out_features)
