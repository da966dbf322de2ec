"""Compiled operations of a layer give what transformers' modules give, with the same roundings."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from transformers.models.qwen3.modeling_qwen3 import Qwen3RMSNorm, apply_rotary_pos_emb

from engine.fusion.native_layer import RmsNorm, Rotary, swiglu
from tests.support.selection.instructions import needs_compiler

# Largest error, relative to the largest number: of bfloat16 one rounding the other way.
TOLERANCE = {torch.float32: 2e-6, torch.bfloat16: 2**-7}

pytestmark = needs_compiler
shapes = given(
    num_rows=st.sampled_from([0, 1, 2, 7, 33]),
    size=st.sampled_from([1, 8, 33, 64, 896, 1030, 2500]),
    dtype=st.sampled_from(list(TOLERANCE)),
)
quickly = settings(max_examples=25, deadline=None)


def assert_same(actual: Tensor, expected: Tensor) -> None:
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    if expected.numel():
        assert (actual - expected).abs().max() <= TOLERANCE[expected.dtype] * expected.abs().max()


def new_norm(size: int, dtype: torch.dtype) -> tuple[nn.Module, RmsNorm]:
    module = Qwen3RMSNorm(size, eps=1e-4).to(dtype).requires_grad_(False)
    module.weight.copy_(torch.randn(size))
    return module, RmsNorm(module.weight, module.variance_epsilon)


@quickly
@shapes
@torch.inference_mode()
def test_a_norm_alone_and_after_a_sum(num_rows: int, size: int, dtype: torch.dtype) -> None:
    module, norm = new_norm(size, dtype)
    stream, added = torch.randn(2, num_rows, size, dtype=dtype)
    assert_same(norm(stream), module(stream))
    total, rows = norm.add(stream, added)
    assert torch.equal(total, stream + added)
    assert_same(rows, module(stream + added))


@quickly
@shapes
@torch.inference_mode()
def test_a_gate(num_rows: int, size: int, dtype: torch.dtype) -> None:
    rows = 30 * torch.randn(num_rows, 2 * size, dtype=dtype)
    gates, values = rows.chunk(2, dim=-1)
    assert_same(swiglu(rows), nn.functional.silu(gates) * values)


@pytest.mark.parametrize("size", [1, 3, 16])
@torch.inference_mode()
def test_small_gates_are_as_exact_as_large_ones(size: int) -> None:
    gates = torch.linspace(-85, 85, 48 * size).view(-1, size)
    actual = swiglu(torch.cat([gates, torch.ones_like(gates)], dim=-1))
    expected = nn.functional.silu(gates.double())
    assert ((actual - expected) / expected).abs().max() < 1e-6


@torch.inference_mode()
def test_a_gate_of_what_is_no_number_or_infinite() -> None:
    rows = torch.tensor([[torch.nan, torch.inf, -torch.inf, 1e30, -1e30, 0.0, *[1.0] * 6]])
    torch.testing.assert_close(swiglu(rows), nn.functional.silu(rows[:, :6]) * rows[:, 6:], equal_nan=True)


@quickly
@given(
    num_rows=st.sampled_from([0, 1, 5, 40]),
    heads=st.sampled_from([(1, 1), (14, 2), (3, 3)]),
    dim=st.sampled_from([2, 6, 16, 64, 128]),
    has_norms=st.booleans(),
    dtype=st.sampled_from(list(TOLERANCE)),
)
@torch.inference_mode()
def test_rotary_embeddings_with_norms_and_without(
    num_rows: int, heads: tuple[int, int], dim: int, has_norms: bool, dtype: torch.dtype
) -> None:
    norms = [new_norm(dim, dtype), new_norm(dim, dtype)] if has_norms else None
    rows = torch.randn(num_rows, (sum(heads) + heads[1]) * dim, dtype=dtype)
    angles = torch.randn(num_rows, dim)  # unlike halves: nothing says that they are the same
    cosine, sine = angles.cos().to(dtype), angles.sin().to(dtype)
    sizes = [heads[0] * dim, heads[1] * dim, heads[1] * dim]
    query, key, value = (
        part.view(num_rows, part.shape[1] // dim, dim) for part in torch.split(rows, sizes, dim=-1)
    )
    if norms is not None:
        query, key = norms[0][0](query), norms[1][0](key)
    expected = apply_rotary_pos_emb(query[None], key[None], cosine[None], sine[None], unsqueeze_dim=2)
    turned = rows.clone()
    Rotary(*heads, dim, None if norms is None else (norms[0][1], norms[1][1]))(turned, cosine, sine)
    assert_same(turned, torch.cat([*(part[0].flatten(1) for part in expected), value.flatten(1)], dim=1))
