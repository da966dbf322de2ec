"""Muon where a processor has no bfloat16: the same step, but for what rounding changed."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn
from torch.optim import Muon

from tools.demo_model.training import Unrounded


def step_within(context: AbstractContextManager[object]) -> Tensor:
    """Return how Muon changes a matrix, always by the same gradient. [64, 32]"""
    random = torch.Generator().manual_seed(0)
    weight = nn.Parameter(torch.zeros(64, 32))
    weight.grad = torch.randn(64, 32, generator=random)
    with context:
        Muon([weight], lr=0.02).step()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    return weight.detach()


def test_a_step_in_float32_is_the_rounded_one_but_for_its_rounding() -> None:
    rounded, unrounded = step_within(nullcontext()), step_within(Unrounded())
    assert not torch.equal(unrounded, unrounded.bfloat16().float())
    assert 0 < (unrounded - rounded).norm() < 0.02 * rounded.norm()


def test_what_is_not_rounded_is_a_copy() -> None:
    values = torch.full((2,), 1 + 2**-20)
    with Unrounded():
        copy = values.bfloat16()
        copy.zero_()
    assert copy.dtype == torch.float32
    assert values.eq(1 + 2**-20).all()
    assert values.bfloat16().dtype == torch.bfloat16
