"""The choice between products of bfloat16 in pairs and widened to float32, by a trial on this processor.

AMD's Zen 4 multiplies pairs twice as fast as float32, Intel's Emerald Rapids half as fast, and nothing but
time tells one from the other. All layers of a model get the same products for any number of rows, since both
round differently: a sequence's tokens must not depend on what else is in its batch.
"""

from functools import cache
from time import perf_counter
from typing import Literal, TypeAlias

import torch
from torch import nn

from engine.linear.packed_weight import PackedWeight
from engine.linear.panel_linear import Bfloat16Products, PanelLinear, has_pair_products

ProductsSetting: TypeAlias = Literal["auto", "pairs", "widened"]

# A panel of a small model's layer, and more rows than memory could be the limit for.
_NUM_INPUTS, _NUM_OUTPUTS, _NUM_ROWS = 896, 256, 48
_NUM_TURNS = 12
# Processors differ by a factor of two either way. A smaller gain would not be worth results that change when
# another machine, or a busy minute, decides otherwise.
_LEAST_GAIN = 1.2


def choose_products(model: nn.Module, wanted: ProductsSetting = "auto") -> Bfloat16Products | None:
    """Choose how a model's compiled layers of bfloat16 are multiplied; auto: by the trial.

    Returns None if there is no choice: the model has no such layer, or the compiled code has only one way.
    """
    layers = [part for part in model.modules() if isinstance(part, PanelLinear)]
    of_bfloat16 = [layer for layer in layers if layer.panels.dtype == torch.bfloat16]
    if not of_bfloat16 or (products := products_of(wanted)) is None:
        return None
    for layer in of_bfloat16:
        layer.products = products
    return products


def products_of(wanted: ProductsSetting) -> Bfloat16Products | None:
    """Return what `choose_products` chooses for layers of bfloat16. Requires compiled code."""
    if not has_pair_products():
        return None
    return faster_products() if wanted == "auto" else wanted


@cache
@torch.inference_mode()
def faster_products() -> Bfloat16Products:
    """Return the products that take less time here. The first call takes some milliseconds."""
    panels = torch.ones(_NUM_OUTPUTS * _NUM_INPUTS, dtype=torch.bfloat16)
    layer = PanelLinear(PackedWeight(_NUM_OUTPUTS, _NUM_INPUTS, panels, None, torch.zeros(_NUM_OUTPUTS)))
    rows = torch.ones(_NUM_ROWS, _NUM_INPUTS, dtype=torch.bfloat16)
    shortest: dict[Bfloat16Products, float] = {"pairs": float("inf"), "widened": float("inf")}
    for _ in range(_NUM_TURNS):
        for products in shortest:
            layer.products = products
            started = perf_counter()
            layer(rows)
            shortest[products] = min(shortest[products], perf_counter() - started)
    return "widened" if shortest["widened"] * _LEAST_GAIN < shortest["pairs"] else "pairs"
