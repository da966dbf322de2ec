"""The weights of linear layers in the form that compiled decoder layers take."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from torch import nn

from engine.linear.panel_linear import PanelLinear
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.int8_linear import Int8Linear
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.native.structures import WeightFields

_ROUNDED: Final[Mapping[str, type[RoundedLinear]]] = {"int8": Int8Linear, "grouped": GroupedLinear}


class NativeWeights(NamedTuple):
    """The weights of some linears, all of one kind.

    kind: their products, as of `PanelLinear`, or "int8" or "grouped"; part of the names of the functions that
    take them. fields: structures with addresses in memory that the linears own.
    """

    kind: str
    fields: list[WeightFields]


def native_weights(*linears: nn.Module) -> NativeWeights | None:
    """Return the weights of these linears; None if they are not all of one kind."""
    weights = [_native_weight(linear) for linear in linears]
    known = [weight for weight in weights if weight is not None]
    kinds = {kind for kind, _ in known}
    if len(known) < len(linears) or len(kinds) != 1:
        return None
    return NativeWeights(kinds.pop(), [fields for _, fields in known])


def _native_weight(linear: nn.Module) -> tuple[str, WeightFields] | None:
    if isinstance(linear, PanelLinear):
        return linear.products, _of_panels(linear)
    for kind, layer in _ROUNDED.items():
        if isinstance(linear, layer):
            return kind, linear.rounded.fields
    return None


def _of_panels(linear: PanelLinear) -> WeightFields:
    addresses = linear.panels.data_ptr(), None, linear.bias.data_ptr()
    return WeightFields(*addresses, linear.in_features, linear.out_features)
