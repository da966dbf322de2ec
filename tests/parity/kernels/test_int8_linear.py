"""Compiled layers of 8 bits give what their arithmetic gives in torch."""

import hashlib
from typing import get_args

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.linear.channel_scales import channel_scales, round_channels
from engine.linear.rounded.int8_linear import Int8Head, Int8Linear
from engine.linear.rounded.int8_weight import Int8Weight, RowBits
from engine.linear.rounded.native_channels import native_panels, native_scales
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.port.errors import ModelNotSupported
from tests.support.selection.effort import trials
from tests.support.selection.instructions import needs_compiler

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


def exact_outputs(
    rows: Tensor, weight: Tensor, scales: Tensor, bias: Tensor | None, row_bits: int
) -> tuple[Tensor, Tensor]:
    """Outputs in double precision, and the sum of the magnitudes of what is added up last."""
    rows = rows.float()
    largest = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-30)
    # A number divided by a tensor would be rounded twice: torch multiplies by the reciprocal.
    steps = rows * (torch.full_like(largest, 127) / largest)
    coarse = steps.round()
    parts = [coarse.double()]
    if row_bits == 16:
        parts.append(((steps - coarse) * 254).round().double() / 254)
    weights = (weight / scales[:, None]).round().clamp(-127, 127).double()
    outputs = [part @ weights.T * (largest / 127) * scales for part in parts]
    outputs.append((torch.zeros(len(weight)) if bias is None else bias).double().expand_as(outputs[0]))
    return torch.stack(outputs).sum(0), torch.stack(outputs).abs().sum(0)


@needs_compiler
@settings(max_examples=trials(40, whole=150), deadline=None)
@given(
    num_rows=st.integers(1, 40),
    num_inputs=st.integers(1, 300),
    num_outputs=st.integers(1, 130),
    has_bias=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.bfloat16, torch.float16]),
    layout=st.sampled_from(["dense", "apart", "transposed", "repeated"]),
    num_threads=st.sampled_from([1, 2, 3]),
    row_bits=st.sampled_from([8, 16]),
)
@example(
    num_rows=300,
    num_inputs=4864,
    num_outputs=40,
    has_bias=True,
    dtype=torch.bfloat16,
    layout="dense",
    num_threads=2,
    row_bits=8,
)
@example(
    num_rows=300,
    num_inputs=4864,
    num_outputs=40,
    has_bias=True,
    dtype=torch.float32,
    layout="dense",
    num_threads=2,
    row_bits=16,
)
def test_any_shape_gives_exact_sums(
    num_rows: int,
    num_inputs: int,
    num_outputs: int,
    has_bias: bool,
    dtype: torch.dtype,
    layout: str,
    num_threads: int,
    row_bits: RowBits,
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
        actual = Int8Weight.of(*layer, row_bits=row_bits).multiply(rows)
    finally:
        torch.set_num_threads(before)
    expected, magnitude = exact_outputs(rows, *layer, row_bits)
    assert actual.dtype == dtype
    subnormal = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps  # the step between numbers near 0
    assert bool(((actual - expected).abs() <= TOLERANCE[dtype] * magnitude + subnormal).all())


@needs_compiler
def test_the_largest_sums_do_not_overflow() -> None:
    num_inputs = 133_144
    weight = torch.ones(33, num_inputs)
    weight[1::2] = -1
    rows = torch.ones(3, num_inputs)
    rows[1] = -1
    actual = Int8Weight.of(weight, scales_of(weight), None).multiply(rows)
    expected = rows[:, :1] * weight[:, 0] * num_inputs
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=0.0)


# SHA-256 of outputs of float32 and bfloat16 for the numbers below.
OUTPUTS_OF_ANY_PROCESSOR = "498c58d44393203665f86eab7149d5f1751e86422399f418ed9e3c9285cd433e"


@needs_compiler
def test_every_processor_gives_the_same_bits() -> None:
    """`make test-isa` runs this on each instruction set, and ARM is replayed from here (tests/aarch64)."""
    digest = hashlib.sha256()
    for num_inputs, num_outputs in ((5, 3), (131, 72), (4864, 40)):
        # Nothing here is rounded: torch's own arithmetic would not be the same everywhere.
        weight = (torch.arange(num_outputs * num_inputs) * 7919 % 255 - 127).view(
            num_outputs, num_inputs
        ) / 128
        bias = torch.arange(num_outputs) / 8 - 3
        rows = (torch.arange(13 * num_inputs) * 104_729 % 2003 - 1001).view(13, num_inputs) / 64
        for row_bits in get_args(RowBits):
            layer = Int8Weight.of(weight, torch.full((num_outputs,), 1 / 128), bias, row_bits=row_bits)
            for dtype in (torch.float32, torch.bfloat16):
                digest.update(layer.multiply(rows.to(dtype)).float().numpy().tobytes())
    assert digest.hexdigest() == OUTPUTS_OF_ANY_PROCESSOR


def test_more_inputs_than_can_be_summed_are_refused() -> None:
    with pytest.raises(ModelNotSupported, match="quantize int8 takes layers of 133,144 inputs at most"):
        Int8Linear(torch.nn.Linear(133_145, 1))


@needs_compiler
@torch.inference_mode()
@pytest.mark.parametrize("kind", [Int8Linear, Int8Head])
def test_a_channel_of_zeros_stays_zeros(kind: type[RoundedLinear]) -> None:
    linear = torch.nn.Linear(64, 40, bias=False)
    linear.weight[3] = 0
    output = kind(linear)(torch.randn(2, 64))
    assert (output == 0).any(dim=0).tolist() == [channel == 3 for channel in range(40)]


@needs_compiler
def test_rows_of_16_bits_lose_a_hundredth_of_what_8_bits_lose() -> None:
    torch.manual_seed(0)
    weight, scales, _ = random_layer(900, 64, has_bias=False)
    rows = torch.randn(20, 900)
    exact = rows.double() @ (weight / scales[:, None]).round().double().T * scales
    errors = [
        float(
            (Int8Weight.of(weight, scales, None, row_bits=bits).multiply(rows) - exact).norm() / exact.norm()
        )
        for bits in (8, 16)
    ]
    assert 0.003 < errors[0] < 0.02
    assert errors[1] < errors[0] / 100


@needs_compiler
@pytest.mark.parametrize("row_bits", [8, 16])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_row_gives_the_same_bits_whatever_stands_beside_it(dtype: torch.dtype, row_bits: RowBits) -> None:
    torch.manual_seed(0)
    weight = Int8Weight.of(*random_layer(900, 200, has_bias=True), row_bits=row_bits)
    rows = torch.randn(50, 900).to(dtype)
    alone = torch.cat([weight.multiply(rows[row : row + 1]) for row in range(50)])
    for num_rows in range(1, 51):
        assert torch.equal(weight.multiply(rows[:num_rows]), alone[:num_rows])


@needs_compiler
@pytest.mark.parametrize("wrong", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("row_bits", [8, 16])
def test_a_row_that_is_no_number_spoils_itself_alone(
    dtype: torch.dtype, wrong: float, row_bits: RowBits
) -> None:
    torch.manual_seed(0)
    layer = random_layer(70, 50, has_bias=True)
    rows = torch.randn(15, 70).to(dtype)
    rows[4, 69] = wrong
    rows[9] = 0
    output = Int8Weight.of(*layer, row_bits=row_bits).multiply(rows)
    assert output.isfinite().all(dim=1).tolist() == [row != 4 for row in range(15)]
    assert not output[4].isfinite().any()
    assert layer[2] is not None
    assert torch.equal(output[9], layer[2].to(dtype))


@needs_compiler
@settings(max_examples=trials(40, whole=150), deadline=None)
@given(
    num_outputs=st.integers(1, 100),
    num_inputs=st.integers(1, 200),
    dtype=st.sampled_from([torch.float64, torch.float32, torch.bfloat16, torch.float16]),
    step=st.integers(1, 2),
    seed=st.integers(0, 2**16),
)
@example(num_outputs=32, num_inputs=64, dtype=torch.bfloat16, step=1, seed=0)
def test_compiled_rounding_gives_the_bits_of_torchs(
    num_outputs: int, num_inputs: int, dtype: torch.dtype, step: int, seed: int
) -> None:
    torch.manual_seed(seed)
    weight = (torch.randn(num_outputs, step * num_inputs) * torch.rand(num_outputs, 1)).to(dtype)[:, ::step]
    weight[torch.rand(num_outputs) < 0.1] = 0
    scales = channel_scales(weight)
    assert torch.equal(native_scales(weight), scales)
    panels = native_panels(weight, scales).view(-(-num_outputs // 32), -1, 32, 4)
    expected = torch.zeros(len(panels) * 32, 4 * (panels.shape[1] - 1))
    for rows, numbers in round_channels(weight, scales):
        expected[rows, :num_inputs] = numbers
    sums = panels[:, 0].reshape(-1).view(torch.int32)
    assert torch.equal(sums, -128 * expected.sum(1).int())
    assert torch.equal(panels[:, 1:].transpose(1, 2).reshape(expected.shape), expected.to(torch.int8))


@needs_compiler
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
    layer = Int8Weight.of(weight, scales, None)
    rows = torch.randn(3, 1 << 15)
    blocks = [
        Int8Weight.of(weight[first : first + 32], scales[first : first + 32], None)
        for first in range(0, 100, 32)
    ]
    assert torch.equal(layer.multiply(rows), torch.cat([block.multiply(rows) for block in blocks], dim=1))
