"""Products of bfloat16 are the faster ones, the same for all layers, and a setting overrides the trial."""

import pytest
import torch
from torch import nn

from engine.linear import products as module
from engine.linear.panel_linear import (
    Bfloat16Products,
    Float16PanelLinear,
    PanelLinear,
    has_pair_products,
    usual_products,
)
from engine.linear.products import ProductsSetting, choose_products, faster_products
from engine.native.instructions import Instructions
from tests.support.selection.instructions import needs, needs_compiler

pytestmark = needs_compiler


def new_layer() -> PanelLinear:
    return PanelLinear(nn.Linear(8, 40, dtype=torch.bfloat16).requires_grad_(False))


def float16_layer() -> Float16PanelLinear:
    return Float16PanelLinear(nn.Linear(8, 40, dtype=torch.float16).requires_grad_(False))


@pytest.mark.parametrize("wanted", ["auto", "pairs", "widened"])
def test_all_layers_of_bfloat16_get_the_same_products(wanted: ProductsSetting) -> None:
    layers, other = [new_layer(), new_layer()], float16_layer()
    chosen = choose_products(nn.Sequential(*layers, other), wanted)
    if not has_pair_products():
        assert chosen is None
    else:
        assert chosen == (faster_products() if wanted == "auto" else wanted)
    assert {layer.products for layer in layers} == {chosen or usual_products()}
    assert other.products == "float16"


def test_without_layers_of_bfloat16_there_is_no_choice() -> None:
    assert choose_products(nn.Sequential(nn.Linear(3, 3), float16_layer()), "widened") is None


@pytest.mark.parametrize(
    ("of_pairs", "of_widened", "faster"),
    [(1.0, 2.0, "pairs"), (1.0, 1.0, "pairs"), (1.1, 1.0, "pairs"), (1.8, 1.0, "widened")],
)
def test_a_trial_takes_widened_ones_only_where_they_are_clearly_faster(
    of_pairs: float, of_widened: float, faster: Bfloat16Products, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = [0.0]

    def forward(layer: PanelLinear, rows: torch.Tensor) -> None:
        passed[0] += of_pairs if layer.products == "pairs" else of_widened

    monkeypatch.setattr(PanelLinear, "forward", forward)
    monkeypatch.setattr(module, "perf_counter", lambda: passed[0])
    assert faster_products.__wrapped__() == faster


@needs(Instructions.AVX512_BF16)
def test_a_trial_is_made_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    first = faster_products()
    monkeypatch.setattr(module, "PanelLinear", None)
    assert faster_products() == first
