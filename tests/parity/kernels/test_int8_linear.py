"""Compiled layers of 8 bits give what their arithmetic gives in torch, and nearly what FBGEMM gives."""

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.errors import ModelNotSupported
from engine.linear import fbgemm_weight
from engine.linear.channel_scales import channel_scales, round_channels
from engine.linear.fbgemm_weight import FbgemmWeight, Levels, choose_levels
from engine.linear.int8_linear import Int8Linear
from engine.linear.vnni_weight import VnniWeight, has_vnni
from engine.native.instructions import Instructions, usable_instructions
from engine.native.library import Loaded
from tests.effort import trials
from tests.instructions import needs_int8, needs_vnni

# Largest relative error of an output: float32 rounds it three times, 16 bits once more.
TOLERANCE = {torch.float32: 1e-6, torch.bfloat16: 2**-7, torch.float16: 2**-10}


def random_layer(
    num_inputs: int, num_outputs: int, *, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    """weight, scales, bias"""
    weight = torch.randn(num_outputs, num_inputs) * torch.rand(num_outputs, 1)
    return weight, scales_of(weight), torch.randn(num_outputs) if has_bias else None


def scales_of(weight: Tensor) -> Tensor:
    return (weight.abs().amax(dim=1) / 127).clamp_(min=1e-30)


def exact_outputs(rows: Tensor, weight: Tensor, scales: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Outputs in double precision, and the sum of the magnitudes of what is added up last."""
    rows = rows.float()
    largest = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-30)
    # A number divided by a tensor would be rounded twice: torch multiplies by the reciprocal.
    levels = (rows * (torch.full_like(largest, 127) / largest)).round().double()
    weights = (weight / scales[:, None]).round().clamp(-127, 127).double()
    outputs = levels @ weights.T * (largest / 127) * scales
    addend = torch.zeros(len(weight)) if bias is None else bias
    return outputs + addend, outputs.abs() + addend.abs()


@needs_vnni
@settings(max_examples=trials(40, whole=150), deadline=None)
@given(
    num_rows=st.integers(1, 40),
    num_inputs=st.integers(1, 300),
    num_outputs=st.integers(1, 130),
    has_bias=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.bfloat16, torch.float16]),
    layout=st.sampled_from(["dense", "apart", "transposed", "repeated"]),
    num_threads=st.sampled_from([1, 2, 3]),
)
@example(
    num_rows=300,
    num_inputs=4864,
    num_outputs=40,
    has_bias=True,
    dtype=torch.bfloat16,
    layout="dense",
    num_threads=2,
)
def test_any_shape_gives_exact_sums(
    num_rows: int,
    num_inputs: int,
    num_outputs: int,
    has_bias: bool,
    dtype: torch.dtype,
    layout: str,
    num_threads: int,
) -> None:
    """A few hundred rows of 4864 inputs are more than are multiplied at once."""
    torch.manual_seed(num_rows + 100 * num_inputs)
    layer = random_layer(num_inputs, num_outputs, has_bias=has_bias)
    rows = {
        "dense": lambda: torch.randn(num_rows, num_inputs),
        "apart": lambda: torch.randn(num_rows, num_inputs + 5)[:, 2:-3],
        "transposed": lambda: torch.randn(num_inputs, num_rows).T,
        "repeated": lambda: torch.randn(1, num_inputs).expand(num_rows, num_inputs),
    }[layout]().to(dtype)
    before = torch.get_num_threads()
    torch.set_num_threads(num_threads)
    try:
        actual = VnniWeight(*layer).multiply(rows)
    finally:
        torch.set_num_threads(before)
    expected, magnitude = exact_outputs(rows, *layer)
    assert actual.dtype == dtype
    subnormal = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps  # the step between numbers near 0
    assert bool(((actual - expected).abs() <= TOLERANCE[dtype] * magnitude + subnormal).all())


@needs_int8
@pytest.mark.parametrize("num_inputs", [1, 2, 31, 64, 899, 4864])
@pytest.mark.parametrize("num_rows", [1, 4, 33])
def test_no_two_products_of_fbgemm_overflow(num_inputs: int, num_rows: int) -> None:
    """Rows and weights are as large as they can be, with the signs of the weights of each channel in turn."""
    torch.manual_seed(num_inputs)
    weight = (torch.randint(0, 2, (num_rows, num_inputs)) * 2 - 1).float()
    weight[0] = 1
    actual = FbgemmWeight(weight, scales_of(weight), None).multiply(weight)
    torch.testing.assert_close(actual, weight @ weight.T, rtol=1e-5, atol=1e-4)


@needs_int8
def test_levels_whose_sums_overflow_are_found_out() -> None:
    """On VNNI none of these do; where two products share 16 bits, the first is not what is chosen."""
    levels = choose_levels()
    assert levels in (Levels(127, 127), Levels(113, 72))
    fits = 2 * (2 * Levels(113, 72).rows) * Levels(113, 72).weights < 2**15
    assert fits and not fbgemm_weight._sums_are_right(Levels(127, 200))  # beyond what a byte holds
    if usable_instructions() < Instructions.AVX512_VNNI:
        assert levels == Levels(113, 72)


@needs_vnni
def test_the_largest_sums_do_not_overflow() -> None:
    num_inputs = 133_144
    weight = torch.ones(33, num_inputs)
    weight[1::2] = -1
    rows = torch.ones(3, num_inputs)
    rows[1] = -1
    actual = VnniWeight(weight, scales_of(weight), None).multiply(rows)
    expected = rows[:, :1] * weight[:, 0] * num_inputs
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=0.0)


def test_more_inputs_than_can_be_summed_are_refused() -> None:
    with pytest.raises(ModelNotSupported, match="quantize int8 takes layers of 133,144 inputs at most"):
        Int8Linear(torch.nn.Linear(133_145, 1))


@needs_vnni
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_row_gives_the_same_bits_whatever_stands_beside_it(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    weight = VnniWeight(*random_layer(900, 200, has_bias=True))
    rows = torch.randn(50, 900).to(dtype)
    alone = torch.cat([weight.multiply(rows[row : row + 1]) for row in range(50)])
    for num_rows in range(1, 51):
        assert torch.equal(weight.multiply(rows[:num_rows]), alone[:num_rows])


@needs_vnni
@pytest.mark.parametrize("wrong", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_row_that_is_no_number_spoils_itself_alone(dtype: torch.dtype, wrong: float) -> None:
    torch.manual_seed(0)
    layer = random_layer(70, 50, has_bias=True)
    rows = torch.randn(15, 70).to(dtype)
    rows[4, 69] = wrong
    rows[9] = 0
    output = VnniWeight(*layer).multiply(rows)
    assert output.isfinite().all(dim=1).tolist() == [row != 4 for row in range(15)]
    assert not output[4].isfinite().any()
    assert layer[2] is not None
    assert torch.equal(output[9], layer[2].to(dtype))


@needs_vnni
@needs_int8
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_it_is_near_what_fbgemm_gives(dtype: torch.dtype) -> None:
    """They differ where a value lies between two levels, or between two numbers of bfloat16."""
    torch.manual_seed(0)
    layer = random_layer(896, 333, has_bias=True)
    rows = torch.randn(20, 896).to(dtype)
    expected, actual = (kind(*layer).multiply(rows).float() for kind in (FbgemmWeight, VnniWeight))
    assert (actual - expected).norm() < 5e-3 * expected.norm()


@needs_int8
def test_without_compiled_code_fbgemm_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    linear = torch.nn.Linear(896, 333)
    rows = torch.randn(2, 7, 896)
    monkeypatch.setattr("engine.native.obstacles.loaded", lambda: Loaded(None, "no compiler"))
    with torch.inference_mode():
        layer = Int8Linear(linear)
        expected, actual = linear(rows), layer(rows)
    assert isinstance(layer.rounded, FbgemmWeight)
    assert (actual - expected).norm() <= 0.02 * expected.norm()


def test_a_library_for_another_processor_lacks_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    without = type("Library", (), {"verbatim_decode": None})()
    monkeypatch.setattr("engine.linear.vnni_weight.lacks_instructions", lambda least: None)
    monkeypatch.setattr("engine.linear.vnni_weight.lacks_library", lambda: None)
    monkeypatch.setattr("engine.linear.vnni_weight.compiled", lambda: without)
    assert not has_vnni()


@needs_vnni
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_weight_is_rounded_alike_whole_and_by_blocks(dtype: torch.dtype) -> None:
    weight = torch.randn(100, 1 << 15).to(dtype)  # of which a block takes 32 channels
    before = weight.clone()
    scales = channel_scales(weight)
    assert torch.equal(scales, scales_of(weight.float()))
    numbers = [block for _, block in round_channels(weight, scales)]
    assert [len(block) for block in numbers] == [32, 32, 32, 4]
    assert torch.equal(torch.cat(numbers), (weight.float() / scales[:, None]).round().clamp(-127, 127))
    assert torch.equal(weight, before)
    layer = VnniWeight(weight, scales, None)
    rows = torch.randn(3, 1 << 15)
    blocks = [
        VnniWeight(weight[first : first + 32], scales[first : first + 32], None)
        for first in range(0, 100, 32)
    ]
    assert torch.equal(layer.multiply(rows), torch.cat([block.multiply(rows) for block in blocks], dim=1))
