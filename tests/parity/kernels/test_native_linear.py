"""Compiled linear layers give the exact product, rounded; and they are what a model gets where they run."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from engine.linear.packed_linear import PackedLinear, can_pack, pack_linears
from engine.linear.panel_linear import Bfloat16Products, Float16PanelLinear, PanelLinear, has_pair_products
from tests.support.selection.effort import trials
from tests.support.selection.instructions import needs_compiled_bfloat16, needs_compiler
from tests.support.tiny_models.text import tiny_model

# Of one rounding to bfloat16. That of sums in float32 comes to it, for which the products' magnitudes count.
TOLERANCE = 2**-8


def new_linear(num_inputs: int, num_outputs: int, *, bias: bool = True) -> nn.Linear:
    torch.manual_seed(num_inputs + num_outputs)
    linear = nn.Linear(num_inputs, num_outputs, bias=bias, dtype=torch.bfloat16)
    return linear.requires_grad_(False)


def noise(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.bfloat16)


def float16_of(linear: nn.Linear) -> nn.Linear:
    """A layer of float16 with weights that bfloat16 does not hold."""
    other = nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None)
    return other.requires_grad_(False).half()


def every_products() -> list[Bfloat16Products]:
    """The ways in which this library multiplies bfloat16."""
    return ["pairs", "widened"] if has_pair_products() else ["widened"]


def multiplied(linear: PanelLinear, products: Bfloat16Products) -> PanelLinear:
    linear.products = products
    return linear


def assert_gives(actual: Tensor, linear: nn.Linear, rows: Tensor) -> None:
    weight = linear.weight.double()
    bias: Tensor | None = linear.bias
    expected = rows.double() @ weight.T + (0.0 if bias is None else bias.double())
    magnitude = rows.double().abs() @ weight.abs().T + expected.abs()
    assert actual.dtype == torch.bfloat16 and actual.shape == expected.shape
    assert ((actual.double() - expected).abs() <= TOLERANCE * (expected.abs() + 1e-3 * magnitude)).all()


@needs_compiler
@settings(max_examples=trials(30, whole=60), deadline=None)
@given(
    num_rows=st.sampled_from([0, *range(1, 27), 48, 200, 300]),
    num_inputs=st.sampled_from([1, 2, 31, 48, 127, 146, 896]),
    num_outputs=st.sampled_from([1, 15, 16, 17, 32, 33, 48, 100, 320]),
    bias=st.booleans(),
    layout=st.sampled_from(["dense", "of wider rows", "transposed", "spread", "stacked"]),
)
@torch.inference_mode()
def test_any_shape_gives_the_exact_product_rounded(
    num_rows: int, num_inputs: int, num_outputs: int, bias: bool, layout: str
) -> None:
    linear = new_linear(num_inputs, num_outputs, bias=bias)
    rows = {
        "dense": lambda: noise(num_rows, num_inputs),
        "of wider rows": lambda: noise(num_rows, num_inputs + 7)[:, 3:-4],
        "transposed": lambda: noise(num_inputs, num_rows).T,
        "spread": lambda: noise(num_rows, 2 * num_inputs)[:, ::2],
        "stacked": lambda: noise(num_rows, 2, num_inputs).transpose(0, 1),
    }[layout]()
    for products in every_products():
        assert_gives(multiplied(PanelLinear(linear), products)(rows), linear, rows)
    float16 = float16_of(linear)
    assert_gives(Float16PanelLinear(float16)(rows), float16, rows)


@needs_compiler
@torch.inference_mode()
def test_a_weight_that_lies_otherwise_is_packed_alike() -> None:
    linear, rows = new_linear(70, 45), noise(3, 70)
    expected = PanelLinear(linear)(rows)
    linear.weight = nn.Parameter(linear.weight.T.contiguous().T, requires_grad=False)
    assert not linear.weight.is_contiguous()
    assert torch.equal(PanelLinear(linear)(rows), expected)


@needs_compiler
@torch.inference_mode()
@pytest.mark.parametrize("num_outputs", [32, 64, 1056, 4096 + 32, 33])
@pytest.mark.parametrize("kind", [PanelLinear, Float16PanelLinear])
def test_a_weight_is_packed_alike_in_place(
    num_outputs: int, kind: type[PanelLinear] | type[Float16PanelLinear]
) -> None:
    linear = new_linear(48, num_outputs)
    if kind is Float16PanelLinear:
        linear = float16_of(linear)
    apart = kind(linear)
    assert torch.equal(kind(linear, in_place=True).panels, apart.panels)
    takes_its_place = num_outputs % 32 == 0
    assert torch.equal(linear.weight.view(-1), apart.panels[: linear.weight.numel()]) == takes_its_place


@needs_compiler
@torch.inference_mode()
@pytest.mark.parametrize(("num_inputs", "num_outputs"), [(896, 320), (131, 72), (2001, 160), (6001, 160)])
def test_a_row_is_computed_alike_whatever_else_is_in_its_batch(num_inputs: int, num_outputs: int) -> None:
    rows = noise(250, num_inputs)
    plain = new_linear(num_inputs, num_outputs)
    of_bfloat16 = [multiplied(PanelLinear(plain), products) for products in every_products()]
    for linear in (*of_bfloat16, Float16PanelLinear(float16_of(plain))):
        together = linear(rows)
        for num_rows in (1, 5, 12, 13, 24, 25, 40, 97, 200):
            assert torch.equal(linear(rows[:num_rows]), together[:num_rows])


@needs_compiler
@torch.inference_mode()
def test_every_finite_float16_is_widened_as_it_is() -> None:
    numbers = torch.arange(1 << 16).to(torch.uint16).view(torch.float16)
    linear = float16_of(new_linear(1, 1 << 16, bias=False))
    linear.weight.copy_(numbers.where(numbers.isfinite(), 1.0)[:, None])
    output = Float16PanelLinear(linear)(torch.ones(1, 1).bfloat16())
    assert torch.equal(output[0], linear.weight[:, 0].float().bfloat16())


@needs_compiler
@torch.inference_mode()
def test_a_row_that_is_no_number_spoils_itself_alone() -> None:
    rows = noise(3, 64)
    rows[1, 5] = torch.nan
    for products in every_products():
        output = multiplied(PanelLinear(new_linear(64, 40)), products)(rows)
        assert output.isnan().all(dim=-1).tolist() == [False, True, False]
        assert output[[0, 2]].isfinite().all()


@needs_compiler
@torch.inference_mode()
def test_more_threads_than_panels_give_what_one_gives() -> None:
    before = torch.get_num_threads()
    plain, rows = new_linear(4096, 64), noise(150, 4096)
    try:
        for products in every_products():
            linear = multiplied(PanelLinear(plain), products)
            torch.set_num_threads(1)
            expected = linear(rows)
            torch.set_num_threads(5)
            assert torch.equal(linear(rows), expected)
    finally:
        torch.set_num_threads(before)


@needs_compiled_bfloat16
def test_a_model_of_bfloat16_gets_them_and_gives_the_logits_of_plain_ones() -> None:
    plain, packed = (nn.Module.to(tiny_model("qwen2"), torch.bfloat16) for _ in range(2))
    assert can_pack(packed)
    pack_linears(packed)
    assert {type(module) for module in packed.modules()} & {PanelLinear, PackedLinear, nn.Linear} == {
        PanelLinear
    }
    ids = torch.arange(40)[None]
    with torch.inference_mode():
        expected, actual = (model(input_ids=ids).logits.float() for model in (plain, packed))
    assert (actual - expected).norm() / expected.norm() < 0.02
