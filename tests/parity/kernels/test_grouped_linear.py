"""Compiled layers whose weights are in groups give what their arithmetic gives in torch."""

import hashlib

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.linear.group_rounding import round_to_groups
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.grouped_panels import GroupedPanels
from engine.weights.grouped_weight import (
    GROUP_BITS,
    GROUP_SIZES,
    ROUNDED_FORMS,
    GroupBits,
    GroupedWeight,
    GroupForm,
    fewest_bits,
    middle_of,
)
from tests.support.selection.effort import trials
from tests.support.selection.instructions import needs_compiler

# Bits of integers and sizes of groups.
INTEGERS: list[tuple[GroupBits, int]] = [
    (bits, group_size)
    for bits in GROUP_BITS
    for group_size in GROUP_SIZES
    if fewest_bits(bits, group_size) == bits
]
# Largest relative error of an output: float32 rounds the sum of each group, 16 bits the output once more.
TOLERANCE = {torch.float32: 3e-6, torch.bfloat16: 2**-7, torch.float16: 2**-10}


def random_weight(
    num_outputs: int,
    num_inputs: int,
    bits: GroupBits,
    group_size: int,
    *,
    has_mins: bool,
    has_order: bool = False,
) -> GroupedWeight:
    """Any integers and scales, not those that rounding would give."""
    num_groups = num_inputs // group_size
    if bits == 8:
        values = torch.randint(-128, 128, (num_outputs, num_inputs), dtype=torch.int8)
    else:
        values = torch.randint(0, 1 << bits, (num_outputs, num_inputs), dtype=torch.uint8)
    scales = torch.randn(num_outputs, num_groups).half()
    mins = torch.randn(num_outputs, num_groups).half() if has_mins else None
    order = torch.randperm(num_inputs).int() if has_order else None
    return GroupedWeight(values, scales, mins, group_size, bits, order)


def exact_outputs(rows: Tensor, weight: GroupedWeight, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Outputs in double precision, and the sum of the magnitudes of the products."""
    rows = rows.float()
    largest = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-30)
    # A number divided by a tensor would be rounded twice: torch multiplies by the reciprocal.
    rounded = (rows * (torch.full_like(largest, 127) / largest)).round().double()
    plain, scale = weight.plain().double(), largest.double() / 127
    magnitude = rounded.abs() @ plain.abs().T * scale
    return rounded @ plain.T * scale + bias.double(), magnitude + bias.abs().double()


@needs_compiler
@settings(max_examples=trials(60, whole=250), deadline=None)
@given(
    num_rows=st.integers(1, 40),
    num_groups=st.integers(1, 9),
    num_outputs=st.integers(1, 130),
    form=st.sampled_from(INTEGERS),
    has_mins=st.booleans(),
    has_order=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.bfloat16, torch.float16]),
    layout=st.sampled_from(["dense", "apart", "transposed", "repeated"]),
    num_threads=st.sampled_from([1, 2, 3]),
)
@example(
    num_rows=300,
    num_groups=152,
    num_outputs=40,
    form=(4, 32),
    has_mins=False,
    has_order=False,
    dtype=torch.bfloat16,
    layout="dense",
    num_threads=2,
)
@example(
    num_rows=300,
    num_groups=38,
    num_outputs=40,
    form=(4, 128),
    has_mins=True,
    has_order=True,
    dtype=torch.bfloat16,
    layout="dense",
    num_threads=2,
)
def test_any_shape_gives_the_outputs_of_the_plain_weight(
    num_rows: int,
    num_groups: int,
    num_outputs: int,
    form: tuple[GroupBits, int],
    has_mins: bool,
    has_order: bool,
    dtype: torch.dtype,
    layout: str,
    num_threads: int,
) -> None:
    """A few hundred rows of 4864 inputs are more than are multiplied at once."""
    torch.manual_seed(num_rows + 100 * num_groups)
    bits, group_size = form
    num_inputs = num_groups * group_size
    weight = random_weight(num_outputs, num_inputs, bits, group_size, has_mins=has_mins, has_order=has_order)
    bias = torch.randn(num_outputs)
    rows = {
        "dense": lambda: torch.randn(num_rows, num_inputs),
        "apart": lambda: torch.randn(num_rows, num_inputs + 5)[:, 2:-3],
        "transposed": lambda: torch.randn(num_inputs, num_rows).T,
        "repeated": lambda: torch.randn(1, num_inputs).expand(num_rows, num_inputs),
    }[layout]().to(dtype)
    before = torch.get_num_threads()
    torch.set_num_threads(num_threads)
    try:
        actual = GroupedPanels.of(weight, bias).multiply(rows)
    finally:
        torch.set_num_threads(before)
    expected, magnitude = exact_outputs(rows, weight, bias)
    assert actual.dtype == dtype
    subnormal = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps  # the step between numbers near 0
    allowed = TOLERANCE[torch.float32] * magnitude + TOLERANCE[dtype] * expected.abs() + subnormal
    assert bool(((actual - expected).abs() <= allowed).all())


@needs_compiler
@pytest.mark.parametrize("has_mins", [False, True])
@pytest.mark.parametrize(("bits", "group_size"), INTEGERS)
def test_outputs_are_those_of_the_same_arithmetic_in_torch(
    bits: GroupBits, group_size: int, *, has_mins: bool
) -> None:
    """A group's products are summed exactly; then each operation is rounded, in the order of groups."""
    torch.manual_seed(group_size)
    weight = random_weight(70, 9 * group_size, bits, group_size, has_mins=has_mins)
    bias, rows = torch.randn(70), torch.randn(31, 9 * group_size)
    largest = rows.abs().amax(dim=1, keepdim=True)
    inverse = torch.full_like(largest, 127) / largest
    inputs = (rows * inverse).round().view(31, 9, group_size)
    values = weight.values.float().view(70, 9, group_size)
    if not has_mins:
        values -= middle_of(bits)
    outputs = torch.zeros(31, 70)
    for group in range(9):
        if weight.mins is not None:
            outputs += inputs[:, group].sum(dim=1, keepdim=True) * weight.mins[:, group].float()
        products = (inputs[:, group].double() @ values[:, group].double().T).float()
        outputs += products * weight.scales[:, group].float()
    expected = outputs * (largest / torch.full_like(largest, 127)) + bias
    assert torch.equal(GroupedPanels.of(weight, bias).multiply(rows), expected)


@needs_compiler
@pytest.mark.parametrize("bits", GROUP_BITS)
@pytest.mark.parametrize("has_mins", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_columns_in_another_order_give_the_bits_of_rows_that_are_in_it(
    bits: GroupBits, dtype: torch.dtype, *, has_mins: bool
) -> None:
    torch.manual_seed(0)
    weight = random_weight(70, 352, bits, 32, has_mins=has_mins, has_order=True)
    assert weight.order is not None
    bias, rows = torch.randn(70), torch.randn(17, 352).to(dtype)
    rows[3] = 0
    rows[4, 351] = torch.nan
    actual = GroupedPanels.of(weight, bias).multiply(rows)
    expected = GroupedPanels.of(weight._replace(order=None), bias).multiply(rows[:, weight.order])
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)
    assert not torch.equal(actual[0], GroupedPanels.of(weight._replace(order=None), bias).multiply(rows)[0])


@needs_compiler
@pytest.mark.parametrize(("bits", "group_size"), INTEGERS)
def test_the_largest_sums_do_not_overflow(bits: GroupBits, group_size: int) -> None:
    num_inputs = 40 * 128
    most, dtype = (-128, torch.int8) if bits == 8 else ((1 << bits) - 1, torch.uint8)
    values = torch.full((33, num_inputs), most, dtype=dtype)
    mins = torch.zeros(33, num_inputs // group_size).half()
    weight = GroupedWeight(values, torch.ones_like(mins), mins, group_size, bits)
    rows = torch.ones(3, num_inputs)
    rows[1] = -1
    actual = GroupedPanels.of(weight, None).multiply(rows)
    expected = rows[:, :1] * float(values[0, 0]) * num_inputs * torch.ones(33)
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=0.0)


# SHA-256 of outputs of float32 and bfloat16 for the numbers below, by the bits of weights.
OUTPUTS_OF_ANY_PROCESSOR: dict[tuple[GroupBits, ...], str] = {
    (4, 8): "6e8feee0a3d7768bd631eb7bfdca71a97bddbb851faf6c8e7f3c62af7453fb45",
    (5, 6): "a0b3c6041f8873086dab409c8a0072cdb640ebdb5ec1124a52ab77d6fcb7accd",
}
# Those of the panels that compiled code rounds.
PANELS_OF_ANY_PROCESSOR = {
    "int4": "bfd774948bfa6e0fd84c4950c376052e92cac631126d5e7a76841d0788207853",
    "int4-g64": "7823231a4197e8603a58d7b19e7c86885a5ff0ea04bdb1342993e9d3b6e4f9e5",
    "int4-g128": "c7d4ff4b03d532fe563506c8b3039d56fd2e15b7cca97544aeec511edbeb7171",
    "int4-asym": "8aee2123e45efcf32c7681725c1bf4e93261f43d0361581aea075eea30170c70",
    "int4-g64-asym": "fcee8c99f4010b580c4936a9ca8cb7e1c6c7d7f8f01a4f9fd4443afb5bf7dff8",
    "int4-g128-asym": "dde6a291e6896244878a8c48a93d799a236031403678b7d09496cceef9a5a663",
}


def numbers(*shape: int, step: int, modulus: int) -> Tensor:
    """The same everywhere: nothing here is rounded."""
    count = torch.Size(shape).numel()
    return (torch.arange(count) * step % modulus - modulus // 2).view(shape)


@needs_compiler
@pytest.mark.parametrize("some_bits", OUTPUTS_OF_ANY_PROCESSOR)
def test_every_processor_gives_the_same_bits(some_bits: tuple[GroupBits, ...]) -> None:
    """`make test-isa` runs this on each instruction set, and ARM is replayed from here (tests/aarch64)."""
    digest = hashlib.sha256()
    for group_size in GROUP_SIZES:
        for bits in some_bits:
            if (bits, group_size) not in INTEGERS:
                continue
            for has_mins in (False, True):
                num_inputs, num_groups = 6 * group_size, 6
                values = numbers(72, num_inputs, step=7919, modulus=251)
                values = values if bits == 8 else values % (1 << bits)
                scales, mins = (
                    (numbers(72, num_groups, step=step, modulus=2003) / 8192).half() for step in (131, 337)
                )
                weight = GroupedWeight(
                    values.to(torch.int8 if bits == 8 else torch.uint8),
                    scales,
                    mins if has_mins else None,
                    group_size,
                    bits,
                )
                layer = GroupedPanels.of(weight, torch.arange(72) / 8 - 3)
                rows = numbers(29, num_inputs, step=104_729, modulus=2003) / 64
                for dtype in (torch.float32, torch.bfloat16):
                    digest.update(layer.multiply(rows.to(dtype)).float().numpy().tobytes())
    assert digest.hexdigest() == OUTPUTS_OF_ANY_PROCESSOR[some_bits]


@needs_compiler
@pytest.mark.parametrize("form", ROUNDED_FORMS)
def test_every_processor_rounds_to_the_same_panels(form: str) -> None:
    weight = numbers(70, 256, step=104_729, modulus=65_521) / 2**20
    panels = GroupedPanels.rounded(weight, None, ROUNDED_FORMS[form]).packed.panels
    assert hashlib.sha256(panels.numpy().tobytes()).hexdigest() == PANELS_OF_ANY_PROCESSOR[form]


@needs_compiler
@settings(max_examples=trials(40, whole=150), deadline=None)
@given(
    num_outputs=st.integers(1, 100),
    num_groups=st.integers(1, 8),
    dtype=st.sampled_from([torch.float64, torch.float32, torch.bfloat16, torch.float16]),
    step=st.integers(1, 2),
    magnitude=st.sampled_from([1.0, 1e-4, 1e-7, 1e3]),
    seed=st.integers(0, 2**16),
    form=st.sampled_from([*ROUNDED_FORMS.values()]),
)
def test_compiled_rounding_gives_the_bits_of_torchs(
    num_outputs: int,
    num_groups: int,
    dtype: torch.dtype,
    step: int,
    magnitude: float,
    seed: int,
    form: GroupForm,
) -> None:
    """Scales of small numbers have few bits in float16, or none."""
    torch.manual_seed(seed)
    num_inputs = num_groups * form.group_size
    weight = (magnitude * torch.randn(num_outputs, step * num_inputs)).to(dtype)[:, ::step]
    weight[torch.rand(num_outputs) < 0.1] = 0
    rounded = round_to_groups(weight, form.bits, form.group_size, symmetric=not form.has_mins)
    expected = GroupedPanels.of(rounded, None).packed
    assert torch.equal(GroupedPanels.rounded(weight, None, form).packed.panels, expected.panels)
    assert expected.groups == form


@needs_compiler
@torch.inference_mode()
def test_a_channel_of_zeros_stays_zeros() -> None:
    linear = torch.nn.Linear(64, 40, bias=False)
    linear.weight[3] = 0
    output = GroupedLinear(linear)(torch.randn(2, 64))
    assert (output == 0).any(dim=0).tolist() == [channel == 3 for channel in range(40)]


@needs_compiler
@pytest.mark.parametrize(("bits", "group_size"), [(4, 32), (4, 128), (5, 32), (6, 16), (8, 32)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_row_gives_the_same_bits_whatever_stands_beside_it(
    dtype: torch.dtype, bits: GroupBits, group_size: int
) -> None:
    torch.manual_seed(0)
    weight = GroupedPanels.of(random_weight(200, 896, bits, group_size, has_mins=True), torch.randn(200))
    rows = torch.randn(50, 896).to(dtype)
    alone = torch.cat([weight.multiply(rows[row : row + 1]) for row in range(50)])
    for num_rows in range(1, 51):
        assert torch.equal(weight.multiply(rows[:num_rows]), alone[:num_rows])


@needs_compiler
@pytest.mark.parametrize("wrong", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("has_mins", [False, True])
def test_a_row_that_is_no_number_spoils_itself_alone(
    dtype: torch.dtype, wrong: float, *, has_mins: bool
) -> None:
    torch.manual_seed(0)
    bias = torch.randn(50)
    rows = torch.randn(15, 64).to(dtype)
    rows[4, 63] = wrong
    rows[9] = 0
    output = GroupedPanels.of(random_weight(50, 64, 4, 32, has_mins=has_mins), bias).multiply(rows)
    assert output.isfinite().all(dim=1).tolist() == [row != 4 for row in range(15)]
    assert not output[4].isfinite().any()
    assert torch.equal(output[9], bias.to(dtype))


@needs_compiler
def test_what_is_no_weight_in_groups_is_refused() -> None:
    weight = random_weight(8, 64, 4, 32, has_mins=False)
    with pytest.raises(ValueError, match="no whole groups of 48"):
        GroupedPanels.of(weight._replace(group_size=48), None)
    with pytest.raises(ValueError, match="groups of 16 have no integers of 5 bits"):
        GroupedPanels.of(random_weight(8, 64, 5, 16, has_mins=False), None)
