"""Weights of quantized checkpoints become groups of the same integers, where their format has any."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.config import EngineConfig
from engine.model.loading.fetching import fetch
from engine.model.loading.planning.plan import PlannedModel, plan_model
from engine.model.loading.quantized.grouped_codes import GroupedCodes
from engine.model.loading.quantized.grouping import group_form, to_groups
from engine.port.errors import ModelNotSupported
from engine.weights.grouped_weight import GroupForm
from engine.weights.unread_weight import NotGrouped
from tests.support.selection.instructions import needs_compiler
from tests.unit.engine.model.loading.quantized import makers, torchao_makers
from tests.unit.engine.model.loading.quantized.pairs import compressed, save_pair
from tests.unit.engine.model.loading.quantized.test_formats import TORCHAO, gptq, torchao

AWQ = {"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemm", "zero_point": True}
NAME = "model.layers.0.mlp.down_proj.weight"


def plan(directory: Path, **settings: Any) -> PlannedModel:
    config = EngineConfig(model=str(directory), device="cpu", **settings)
    return plan_model(fetch(config, lambda line: None), config)


@needs_compiler
@pytest.mark.parametrize(
    ("maker", "description", "form"),
    [
        (partial(makers.gptq, bits=4, group_size=32), gptq(), (4, 32, True)),
        (partial(makers.gptq, bits=8, group_size=-1), gptq(bits=8, group_size=-1), (8, 64, True)),
        (partial(makers.gptq, bits=2, group_size=32), gptq(bits=2), (4, 32, True)),
        (partial(makers.gptq, bits=3, group_size=32), gptq(bits=3), (4, 32, True)),
        (partial(makers.awq, group_size=32), AWQ, (4, 32, True)),
        (
            partial(makers.packed, bits=4, group_size=32, is_symmetric=True),
            compressed("pack-quantized", num_bits=4, strategy="group", group_size=32),
            (4, 32, False),
        ),
        (
            partial(makers.packed, bits=4, group_size=16, is_symmetric=False),
            compressed("pack-quantized", num_bits=4, strategy="group", group_size=16, symmetric=False),
            (4, 16, True),
        ),
        (
            partial(makers.packed, bits=8, group_size=32, is_symmetric=True),
            compressed("pack-quantized", num_bits=8, strategy="group", group_size=32),
            (8, 32, False),
        ),
        (
            partial(makers.rows_of_8_bits, dtype=torch.int8),
            compressed("int-quantized", num_bits=8, strategy="channel"),
            (8, 64, False),
        ),
        (
            makers.integers_of_rows,
            {"quant_method": "bitsandbytes", "load_in_8bit": True},
            (8, 64, False),
        ),
    ],
)
def test_groups_stand_for_the_plain_weight(
    maker: Callable[..., Any], description: dict[str, Any], form: tuple[Any, ...], tmp_path: Path
) -> None:
    sizes: dict[str, Any] = {"num_hidden_layers": 1, "intermediate_size": 192}
    pair = save_pair(tmp_path, description, maker, **sizes)
    unread = plan(pair.quantized).unread
    assert len(unread) == 7 and not plan(pair.plain).unread
    for name, weight in unread.items():
        groups, plain = weight.read_groups(), weight.read_plain(torch.float32)
        groups.check()
        assert groups.form == weight.form and weight.form.group_size in (form[1], 64)
        assert (groups.bits, groups.form.has_mins) == (form[0], form[2]), name
        if groups.mins is None and form[1] == 32:
            assert torch.equal(groups.plain(), plain), "scales of float16 are taken as they are"
        # The scale, or the zero times the scale, is off by half a bit of eleven at most.
        largest = (128 if form[0] == 8 else 15) * float(groups.scales.abs().max())
        torch.testing.assert_close(groups.plain(), plain, rtol=2**-11, atol=2**-11 * largest)


@pytest.mark.parametrize(
    ("maker", "description"),
    [
        (
            partial(makers.block_float8, block=(32, 32)),
            {"quant_method": "fp8", "weight_block_size": [32, 32], "activation_scheme": "dynamic"},
        ),
        (
            partial(makers.rows_of_8_bits, dtype=torch.float8_e4m3fn),
            compressed("float-quantized", num_bits=8, strategy="channel", type="float"),
        ),
        (
            partial(makers.table_of_4_bits, is_nested=False),
            {"quant_method": "bitsandbytes", "load_in_4bit": True},
        ),
    ],
)
def test_weights_that_have_no_such_groups_are_unpacked(
    maker: Callable[..., Any], description: dict[str, Any], tmp_path: Path
) -> None:
    pair = save_pair(tmp_path, description, maker, num_hidden_layers=1)
    assert not plan(pair.quantized).unread


def test_a_type_that_is_asked_for_is_that_of_plain_weights(tmp_path: Path) -> None:
    maker = partial(makers.gptq, bits=4, group_size=32)
    pair = save_pair(tmp_path, gptq(), maker, num_hidden_layers=1)
    for settings in ({"dtype": "float32"}, {"dtype": "bfloat16"}, {"quantize": "int8"}):
        assert not plan(pair.quantized, **settings).unread


@needs_compiler
@pytest.mark.parametrize("bits", [2, 3, 4, 8])
@pytest.mark.parametrize("desc_act", [False, True])
def test_inputs_of_a_group_are_put_beside_each_other(bits: int, desc_act: bool, tmp_path: Path) -> None:
    """Whatever the description says of their order. Groups of 48 are divided into groups of 16."""
    maker = partial(makers.gptq, bits=bits, group_size=48, version=2, order="own")
    description = gptq(bits=bits, group_size=48, checkpoint_format="gptq_v2", desc_act=desc_act)
    sizes: dict[str, Any] = {"num_hidden_layers": 1, "hidden_size": 96, "intermediate_size": 192}
    pair = save_pair(tmp_path, description, maker, **sizes)
    unread = plan(pair.quantized).unread
    assert len(unread) == 7
    for name, weight in unread.items():
        groups, plain = weight.read_groups(), weight.read_plain(torch.float32)
        groups.check()
        assert groups.order is not None and groups.group_size == 16, name
        largest = (128 if bits == 8 else 15) * float(groups.scales.abs().max())
        torch.testing.assert_close(groups.plain(), plain, rtol=2**-11, atol=2**-11 * largest)


@needs_compiler
def test_a_last_group_with_fewer_inputs_may_be_apart_too(tmp_path: Path) -> None:
    description = compressed("pack-quantized", num_bits=4, strategy="group", group_size=64)
    maker = partial(makers.packed, bits=4, group_size=64, is_symmetric=True, order="own")
    pair = save_pair(tmp_path, description, maker, num_hidden_layers=1, intermediate_size=160)
    weight = plan(pair.quantized).unread[NAME]
    groups = weight.read_groups()
    assert groups.order is not None and groups.group_size == 32
    assert torch.equal(groups.plain(), weight.read_plain(torch.float32)), "symmetric, and of float16"


@needs_compiler
def test_groups_of_several_sizes_are_unpacked(tmp_path: Path) -> None:
    maker = partial(makers.gptq, bits=4, group_size=16, order="uneven")
    pair = save_pair(tmp_path, gptq(group_size=16, desc_act=True), maker, num_hidden_layers=1)
    weight = plan(pair.quantized).unread[NAME]
    with pytest.raises(
        NotGrouped, match="in the order of their activations, and its groups of several sizes"
    ):
        weight.read_groups()
    assert weight.read_plain(torch.float32).shape == weight.shape


@needs_compiler
def test_a_list_of_groups_that_was_not_set_says_nothing(tmp_path: Path) -> None:
    """compressed-tensors leaves -1 in a weight_g_idx where groups follow one another."""

    def unset(weight: torch.Tensor) -> Any:
        made = makers.packed(weight, bits=4, group_size=32, is_symmetric=True)
        made.stored["weight_g_idx"] = torch.full((weight.shape[1],), -1, dtype=torch.int32)
        return made

    description = compressed("pack-quantized", num_bits=4, strategy="group", group_size=32)
    pair = save_pair(tmp_path, description, unset, num_hidden_layers=1)
    weight = plan(pair.quantized).unread[NAME]
    groups = weight.read_groups()
    assert groups.order is None
    assert torch.equal(groups.plain(), weight.read_plain(torch.float32))


@needs_compiler
@pytest.mark.parametrize(
    ("config", "form"),
    [
        ("Int8WeightOnlyConfig", (8, 64, False)),
        ("Int8DynamicActivationInt8WeightConfig", (8, 64, True)),
        ("Int8DynamicActivationIntxWeightConfig", (4, 32, True)),
        ("IntxWeightOnlyConfig", (6, 16, False)),
        ("Int4WeightOnlyConfig", (4, 32, True)),
    ],
)
def test_integers_of_torchaos_classes_become_groups(
    config: str, form: tuple[Any, ...], tmp_path: Path
) -> None:
    maker, metadata = TORCHAO[config]
    sizes: dict[str, Any] = {"num_hidden_layers": 1, "intermediate_size": 192}
    pair = save_pair(tmp_path, torchao(config), maker, metadata=metadata, **sizes)
    unread = plan(pair.quantized).unread
    assert len(unread) == 7
    for weight in unread.values():
        groups, plain = weight.read_groups(), weight.read_plain(torch.float32)
        groups.check()
        assert groups.form == form
        assert weight.form.with_room_for(groups.form) == weight.form
        largest = 16 * float(groups.scales.abs().max()) + float(plain.abs().max())
        torch.testing.assert_close(groups.plain(), plain, rtol=2**-10, atol=2**-11 * largest)


@needs_compiler
def test_zero_points_of_zero_need_no_mins(tmp_path: Path) -> None:
    maker = partial(torchao_makers.nibbles, group_size=32, has_offsets=False)
    metadata = TORCHAO["Int4WeightOnlyConfig"][1]
    pair = save_pair(tmp_path, torchao("Any"), maker, num_hidden_layers=1, metadata=metadata)
    weight = plan(pair.quantized).unread[NAME]
    groups = weight.read_groups()
    assert groups.mins is None
    assert torch.equal(groups.plain(), weight.read_plain(torch.float32)), "scales of bfloat16 fit float16"


@pytest.mark.parametrize("config", ["Float8WeightOnlyConfig", "FqnToConfig"])
def test_floats_of_torchaos_classes_are_unpacked(config: str, tmp_path: Path) -> None:
    maker, metadata = TORCHAO[config]
    pair = save_pair(tmp_path, torchao(config), maker, num_hidden_layers=1, metadata=metadata)
    assert not plan(pair.quantized).unread


@needs_compiler
def test_scales_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    def broken(weight: torch.Tensor) -> Any:
        made = makers.awq(weight, group_size=32)
        made.stored["scales"][0, 0] = float("nan")
        return made

    pair = save_pair(tmp_path, AWQ, broken, num_hidden_layers=1)
    with pytest.raises(ModelNotSupported, match="scales hold NaN"):
        plan(pair.quantized).unread[NAME].read_groups()


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_zeros_in_the_middle_need_no_mins(bits: int) -> None:
    codes = torch.randint(0, 2**bits, (4, 64), dtype=torch.uint8)
    middle = torch.full((4, 2), 2 ** (bits - 1), dtype=torch.uint8)
    found = GroupedCodes(codes, torch.rand(4, 2).half(), middle, bits, 32, None)
    groups = found.to_groups()
    groups.check()
    assert groups.mins is None
    assert torch.equal(groups.plain(), found.dense(torch.float32))


def test_groups_that_are_large_or_end_in_a_smaller_one_are_divided() -> None:
    assert group_form(4, 256, 256, is_symmetric=True) == GroupForm(4, 128, has_mins=False)
    assert group_form(4, 192, 128, is_symmetric=True) == GroupForm(4, 64, has_mins=False)
    assert group_form(4, 96, 48, is_symmetric=True) == GroupForm(4, 16, has_mins=False)
    assert group_form(4, 40, 40, is_symmetric=True) is None
    values, scales = torch.randint(0, 16, (2, 192), dtype=torch.uint8), torch.rand(2, 2).half()
    groups = to_groups(values, scales, torch.full((1, 1), 8), 128, 4)
    expected = (values.float() - 8) * scales.float()[:, torch.arange(192) // 128]
    assert torch.equal(groups.plain(), expected)


def test_scales_too_large_for_float16_are_not_taken() -> None:
    values = torch.zeros(2, 32, dtype=torch.int8)
    with pytest.raises(NotGrouped, match="too large for float16"):
        to_groups(values, torch.full((2, 1), 1e6), None, 32, 8)
