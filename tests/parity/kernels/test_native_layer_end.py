"""The end of a layer in one call gives, bit by bit, what its steps give one by one."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from engine.fusion.native_layer import RmsNorm, swiglu
from engine.fusion.native_layer_end import join_end
from engine.linear.group_rounding import round_to_groups
from engine.linear.panel_linear import Float16PanelLinear, PanelLinear
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.int8_linear import Int8Linear
from engine.weights.grouped_weight import GroupBits
from tests.support.selection.instructions import needs_compiler

pytestmark = needs_compiler


def new_linear(num_inputs: int, num_outputs: int, *, bias: bool = False) -> nn.Linear:
    return nn.Linear(num_inputs, num_outputs, bias=bias, dtype=torch.bfloat16).requires_grad_(False)


def widened(linear: nn.Linear) -> PanelLinear:
    replacement = PanelLinear(linear)
    replacement.products = "widened"
    return replacement


def with_mins(linear: nn.Linear) -> GroupedLinear:
    return GroupedLinear.of(round_to_groups(linear.weight, 4, 16, symmetric=False), linear.bias)


def with_groups_of_both_kinds(linear: nn.Linear) -> GroupedLinear:
    """8 bits where there are as many inputs as the layer has gates, as llama.cpp's files have it."""
    bits: GroupBits = 8 if linear.in_features == 160 else 4
    return GroupedLinear.of(round_to_groups(linear.weight, bits, 32), linear.bias)


@pytest.mark.by_turns("hidden_size", "num_rows")
@pytest.mark.parametrize("num_rows", [1, 7, 12, 13, 64, 289, 600])
@pytest.mark.parametrize("hidden_size", [75, 32, 48])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    "kind",
    [PanelLinear, widened, Float16PanelLinear, Int8Linear],
)
@torch.inference_mode()
def test_one_call_gives_what_its_steps_give(
    num_rows: int, hidden_size: int, bias: bool, kind: Callable[[nn.Linear], nn.Module]
) -> None:
    assert_one_call_gives_what_its_steps_give(num_rows, hidden_size, 160, bias, kind)


@pytest.mark.parametrize("num_rows", [1, 7, 13, 64, 289])
@pytest.mark.parametrize("hidden_size", [32, 96])
@pytest.mark.parametrize("kind", [GroupedLinear, with_mins, with_groups_of_both_kinds])
@torch.inference_mode()
def test_one_call_gives_what_its_steps_give_for_weights_in_groups(
    num_rows: int, hidden_size: int, kind: Callable[[nn.Linear], nn.Module]
) -> None:
    assert_one_call_gives_what_its_steps_give(num_rows, hidden_size, 160, True, kind)


@pytest.mark.parametrize("num_rows", [12, 13, 40, 130])
@pytest.mark.parametrize("kind", [PanelLinear, widened])
@torch.inference_mode()
def test_so_many_inputs_that_they_are_multiplied_in_chunks_give_what_steps_give(
    num_rows: int, kind: Callable[[nn.Linear], nn.Module]
) -> None:
    assert_one_call_gives_what_its_steps_give(num_rows, 320, 6016, False, kind)


def assert_one_call_gives_what_its_steps_give(
    num_rows: int, hidden_size: int, num_gated: int, bias: bool, kind: Callable[[nn.Linear], nn.Module]
) -> None:
    torch.manual_seed(num_rows)
    dtype = torch.float16 if kind is Float16PanelLinear else torch.bfloat16
    sizes = (96, hidden_size), (hidden_size, 2 * num_gated), (num_gated, hidden_size)
    attention, gates, down = (kind(new_linear(*size, bias=bias).to(dtype)) for size in sizes)
    norm = RmsNorm(torch.randn(hidden_size).bfloat16(), 1e-5)
    stream = torch.randn(num_rows, hidden_size, dtype=torch.bfloat16)
    attended = torch.randn(num_rows, 96, dtype=torch.bfloat16)
    total, rows = norm.add(stream, attention(attended))
    expected = total + down(swiglu(gates(rows)))
    before = stream.clone()
    end = join_end(attention, norm, gates, down)
    assert end is not None and end.takes(stream)
    assert torch.equal(end(stream, attended), expected)
    assert torch.equal(stream, before)


def test_other_linears_and_gates_that_end_within_a_panel_are_left_to_their_steps() -> None:
    attention, gates, down = (PanelLinear(new_linear(*sizes)) for sizes in ((64, 64), (64, 64), (32, 64)))
    norm = RmsNorm(torch.ones(64).bfloat16(), 1e-5)
    assert join_end(attention, norm, gates, down) is not None
    assert join_end(new_linear(64, 64), norm, gates, down) is None
    narrow = PanelLinear(new_linear(64, 48)), PanelLinear(new_linear(24, 64))
    assert join_end(attention, norm, *narrow) is None
    assert join_end(attention, norm, Float16PanelLinear(new_linear(64, 64).half()), down) is None


def test_very_many_rows_and_none_are_left_to_their_steps() -> None:
    attention, gates, down = (PanelLinear(new_linear(*sizes)) for sizes in ((64, 64), (64, 64), (32, 64)))
    end = join_end(attention, RmsNorm(torch.ones(64).bfloat16(), 1e-5), gates, down)
    assert end is not None
    batches = [torch.zeros(num_rows, 64).bfloat16() for num_rows in (0, 1, 1024, 1025)]
    assert [end.takes(rows) for rows in batches] == [False, True, True, False]
