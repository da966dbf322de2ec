"""Layers that round their rows are compared with those that they replace, whatever their place in a model."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.int8_linear import Int8Head, Int8Linear
from engine.linear.rounded.layer_comparison import LayerComparison
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.linear.rounded.stored_groups import StoredLinear
from engine.linear.unread_linear import UnreadLinear
from tests.support.selection.instructions import needs_compiler
from tests.unit.engine.linear.test_unread_linear import InMemory, of_groups

MOST = 0.05


class WrongPanel(StoredLinear):
    """A layer of which 32 outputs, anywhere among the others, are those of their neighbours."""

    panel = 0

    @override
    def forward(self, rows: Tensor) -> Tensor:
        outputs = super().forward(rows)
        own = slice(32 * self.panel, 32 * self.panel + 32)
        outputs[..., own] = outputs[..., own].roll(1, dims=-1)
        return outputs


class WrongRowCount(StoredLinear):
    """A layer that is wrong for batches of this many rows."""

    num_rows = 0

    @override
    def forward(self, rows: Tensor) -> Tensor:
        outputs = super().forward(rows)
        return outputs.flip(-1) if len(rows) == self.num_rows else outputs


class Sampled(InMemory):
    """A weight whose first and last outputs are a sample. num_samples: how often it was read."""

    num_samples = 0

    @override
    def plain_sample(self) -> Iterator[tuple[int, Tensor]]:
        self.num_samples += 1
        plain, last = self.weight.plain(), self.weight.num_outputs - 16
        yield 0, plain[:16]
        yield last, plain[last:]


def layer(num_outputs: int = 40) -> tuple[UnreadLinear, Sampled]:
    weight = Sampled(of_groups(6, 32, num_outputs=num_outputs))
    return UnreadLinear(nn.Linear(256, num_outputs, device="meta", bias=False), weight), weight


@needs_compiler
@pytest.mark.parametrize("panel", [0, 600, 1199])
def test_a_single_wrong_panel_is_noticed_in_any_place_of_a_large_layer(panel: int) -> None:
    """It is one panel of 1,200, so that all outputs together differ by 4%."""
    plain, weight = layer(1200 * 32)
    right, wrong = StoredLinear.of(weight.weight, None), WrongPanel.of(weight.weight, None)
    wrong.panel = panel
    assert LayerComparison().difference(plain, right, MOST) < 0.02
    assert LayerComparison().difference(plain, wrong, MOST) > 0.5


@needs_compiler
@pytest.mark.parametrize("num_rows", range(1, 14))
@pytest.mark.parametrize("num_outputs", [40, 2100])
def test_a_wrong_number_of_rows_is_noticed(
    num_outputs: int, num_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WrongRowCount, "num_rows", num_rows)
    plain, weight = layer(num_outputs)
    assert LayerComparison().difference(plain, WrongRowCount.of(weight.weight, None), MOST) > 0.5


@needs_compiler
def test_a_layer_that_differed_does_not_stand_for_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WrongRowCount, "num_rows", 7)
    comparison = LayerComparison()
    plain, weight = layer()
    wrong = WrongRowCount.of(weight.weight, None)
    for _ in range(2):
        assert comparison.difference(plain, wrong, MOST) > 0.5


@needs_compiler
def test_the_first_layer_of_each_shape_is_compared_whole_and_others_in_part() -> None:
    comparison = LayerComparison()
    for num_outputs in (160, 320):
        for num_samples in (0, 1):
            plain, weight = layer(num_outputs)
            assert comparison.difference(plain, StoredLinear.of(weight.weight, None), MOST) < 0.02
            assert weight.num_samples == num_samples
            assert weight.num_blocks == (0 if num_samples else num_outputs / 16)


@needs_compiler
@pytest.mark.parametrize("kind", [Int8Linear, Int8Head, GroupedLinear])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@torch.inference_mode()
def test_layers_of_any_kind_and_size_are_compared(kind: type[RoundedLinear], dtype: torch.dtype) -> None:
    comparison = LayerComparison()
    for num_outputs in (1, 40, 2049, 2100, 4001):
        linear = nn.Linear(64, num_outputs, dtype=dtype)
        assert comparison.difference(linear, kind(linear), MOST) < (0.1 if kind is GroupedLinear else 0.02)


@needs_compiler
def test_a_layer_of_zeros_and_one_with_a_panel_of_small_numbers_do_not_differ() -> None:
    linear = nn.Linear(256, 96, bias=False)
    with torch.no_grad():
        linear.weight[32:64] *= 1e-6
        zeros = nn.Linear(256, 96, bias=False)
        zeros.weight.zero_()
    with torch.inference_mode():
        assert LayerComparison().difference(linear, Int8Linear(linear), MOST) < 0.02
        assert LayerComparison().difference(zeros, Int8Linear(zeros), MOST) == 0


@needs_compiler
def test_numbers_that_are_none_differ() -> None:
    plain, weight = layer()

    class NoNumber(StoredLinear):
        @override
        def forward(self, rows: Tensor) -> Tensor:
            outputs = super().forward(rows)
            outputs[0, 3] = torch.nan
            return outputs

    assert not LayerComparison().difference(plain, NoNumber.of(weight.weight, None), MOST) <= MOST
