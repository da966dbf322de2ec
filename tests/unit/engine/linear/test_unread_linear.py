"""A linear layer whose weight is unread computes as a plain one, and becomes one where its weight is read."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.linear.group_rounding import round_to_groups
from engine.linear.plain_linear import ReadLinear, is_plain
from engine.linear.unread_linear import (
    UnreadLinear,
    put_unread_linears,
    read_plain_linears,
    sampled,
)
from engine.weights.grouped_weight import GroupedWeight, GroupForm
from engine.weights.unread_weight import UnreadWeight


def of_groups(bits: Any, group_size: int, *, has_mins: bool = False, num_outputs: int = 40) -> GroupedWeight:
    weight = torch.randn(num_outputs, 256, generator=torch.Generator().manual_seed(2))
    return round_to_groups(weight, bits, group_size, symmetric=not has_mins)


class InMemory(UnreadWeight):
    """A weight as if it were in a file, of which 16 outputs are a block. num_reads: how often it was read.

    num_blocks: how many blocks were.
    """

    def __init__(self, weight: GroupedWeight) -> None:
        self.weight, self.num_reads, self.num_blocks = weight, 0, 0

    @property
    @override
    def shape(self) -> tuple[int, int]:
        return self.weight.num_outputs, self.weight.num_inputs

    @property
    @override
    def form(self) -> GroupForm:
        return self.weight.form

    @override
    def read_groups(self) -> GroupedWeight:
        return self.weight

    @override
    def read_plain(self, dtype: torch.dtype) -> Tensor:
        self.num_reads += 1
        return self.weight.plain().to(dtype)

    @override
    def plain_blocks(self) -> Iterator[Tensor]:
        self.num_reads += 1
        for block in torch.split(self.weight.plain(), 16):
            self.num_blocks += 1
            yield block


def holder(*, bias: bool = True, dtype: torch.dtype = torch.float32) -> tuple[nn.Module, InMemory]:
    weight = InMemory(of_groups(4, 32))
    module = nn.ModuleDict({"up": nn.Linear(256, 40, bias=bias, dtype=dtype)}).eval()
    put_unread_linears(module, {"up.weight": weight})
    return module, weight


def up(module: nn.Module) -> Any:
    return module.get_submodule("up")


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_it_computes_as_a_plain_layer(bias: bool, dtype: torch.dtype) -> None:
    module, weight = holder(bias=bias, dtype=dtype)
    assert isinstance(up(module), UnreadLinear) and not is_plain(up(module))
    rows = torch.randn(2, 3, 256).to(dtype)
    found = up(module)(rows)
    assert weight.num_reads == 1 and found.dtype == dtype
    read_plain_linears(module)
    assert is_plain(up(module)) and up(module).weight.dtype == dtype
    assert (up(module).bias is not None) == bias
    difference = (found - up(module)(rows)).float().norm() / found.float().norm()
    assert difference < (0.01 if dtype.itemsize == 2 else 1e-5)


@pytest.mark.parametrize("bias", [False, True])
def test_a_sample_of_its_outputs_is_in_their_place(bias: bool) -> None:
    module, _ = holder(bias=bias)
    rows = torch.randn(3, 256)
    whole = up(module)(rows)
    sample = dict(up(module).sampled_outputs(rows))
    assert list(sample) == [0, 16, 32]
    for first, outputs in sample.items():
        torch.testing.assert_close(outputs, whole[:, first : first + outputs.shape[-1]])
    every = list(up(module).whole_outputs(rows))
    assert [first for first, _ in every] == [0, 16, 32]
    torch.testing.assert_close(torch.cat([outputs for _, outputs in every], dim=-1), whole)


@pytest.mark.parametrize("name", ["weight", "bias"])
def test_a_weight_that_is_wanted_beside_calls_is_read_for_good(name: str) -> None:
    module, weight = holder()
    rows = torch.randn(3, 256)
    expected = up(module)(rows)
    assert getattr(up(module), name).shape[0] == 40
    assert type(up(module)) is ReadLinear
    assert torch.equal(up(module).weight, weight.weight.plain())
    torch.testing.assert_close(up(module)(rows), expected)
    assert weight.num_reads == 2


def test_without_data_it_has_shapes_alone() -> None:
    module, weight = holder()
    assert up(module)(torch.empty(2, 256, device="meta")).shape == (2, 40)
    assert weight.num_reads == 0


def test_a_sample_is_its_first_outputs_over_and_over() -> None:
    module, weight = holder(bias=False)
    rows = torch.randn(2, 3, 256)
    expected = up(module)(rows)[..., :16]
    weight.num_blocks = 0
    with sampled(module):
        found = up(module)(rows)
    assert weight.num_blocks == 1, "no more is read"
    assert found.shape == (2, 3, 40)
    torch.testing.assert_close(found, torch.cat([expected, expected, expected[..., :8]], dim=-1))
    assert up(module)(rows).shape == found.shape and weight.num_blocks == 4, "afterwards all of it is"
