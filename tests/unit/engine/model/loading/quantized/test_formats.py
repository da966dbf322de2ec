"""Tests that quantized checkpoints become exactly the plain weights that they stand for."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.config import EngineConfig
from engine.model.loading.loader import LoadedModel, load_model
from tests.unit.engine.model.loading.quantized import makers, torchao_makers
from tests.unit.engine.model.loading.quantized.pairs import Pair, Quantized, compressed, save_pair


def load(directory: Path, **settings: Any) -> LoadedModel:
    config = EngineConfig(model=str(directory), device="cpu", **{"dtype": "float32"} | settings)
    return load_model(config, lambda line: None)


def assert_same(pair: Pair, label: str, **settings: Any) -> None:
    loaded = load(pair.quantized, **settings)
    assert loaded.plan.quantized is not None
    assert loaded.plan.quantized.label == label
    actual, expected = loaded.model.state_dict(), load(pair.plain, **settings).model.state_dict()
    assert list(actual) == list(expected)
    for name, weight in expected.items():
        assert torch.equal(actual[name], weight), name
    assert loaded.plan.weight_bytes == sum(weight.nbytes for weight in loaded.model.parameters())


def gptq(**changes: Any) -> dict[str, Any]:
    return {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": False} | changes


@pytest.mark.parametrize(
    ("maker", "description", "label"),
    [
        (partial(makers.gptq, bits=4, group_size=32), gptq(), "GPTQ of 4 bits in groups of 32"),
        (
            partial(makers.gptq, bits=4, group_size=16, version=2, order="own"),
            gptq(group_size=16, checkpoint_format="gptq_v2", desc_act=True),
            "GPTQ of 4 bits in groups of 16, inputs in the order of their activations",
        ),
        (
            partial(makers.gptq, bits=8, group_size=-1),
            gptq(bits=8, group_size=-1),
            "GPTQ of 8 bits in one group a row",
        ),
        (partial(makers.gptq, bits=2, group_size=32), gptq(bits=2), "GPTQ of 2 bits in groups of 32"),
        (partial(makers.gptq, bits=3, group_size=32), gptq(bits=3), "GPTQ of 3 bits in groups of 32"),
        (
            partial(makers.awq, group_size=16),
            {"quant_method": "awq", "bits": 4, "group_size": 16, "version": "gemm", "zero_point": True},
            "AWQ of 4 bits in groups of 16",
        ),
        (
            partial(makers.block_float8, block=(24, 40)),
            {"quant_method": "fp8", "weight_block_size": [24, 40], "activation_scheme": "dynamic"},
            "8-bit floats in blocks of 24 x 40",
        ),
        (
            partial(makers.block_float8, block=None),
            {"quant_method": "fp8", "weight_block_size": None},
            "8-bit floats with a scale for each weight",
        ),
        (
            partial(makers.packed, bits=4, group_size=16, is_symmetric=False),
            compressed("pack-quantized", num_bits=4, strategy="group", group_size=16, symmetric=False),
            "compressed-tensors, 4-bit integers in groups of 16",
        ),
        (
            partial(makers.gptq, bits=4, group_size=16, order="uneven"),
            gptq(group_size=16, desc_act=True),
            "GPTQ of 4 bits in groups of 16, inputs in the order of their activations",
        ),
        (
            partial(makers.packed, bits=4, group_size=32, is_symmetric=True, order="own"),
            compressed("pack-quantized", num_bits=4, strategy="group", group_size=32),
            "compressed-tensors, 4-bit integers in groups of 32",
        ),
        (
            partial(makers.packed, bits=8, group_size=32, is_symmetric=True),
            compressed("pack-quantized", num_bits=8, strategy="group", group_size=32, symmetric=True),
            "compressed-tensors, 8-bit integers in groups of 32",
        ),
        (
            partial(makers.rows_of_8_bits, dtype=torch.int8),
            compressed("int-quantized", num_bits=8, strategy="channel"),
            "compressed-tensors, 8-bit integers with a scale for each row",
        ),
        (
            partial(makers.rows_of_8_bits, dtype=torch.float8_e4m3fn),
            compressed("float-quantized", num_bits=8, strategy="channel", type="float"),
            "compressed-tensors, 8-bit floats with a scale for each row",
        ),
        (
            partial(makers.table_of_4_bits, is_nested=False),
            {"quant_method": "bitsandbytes", "load_in_4bit": True},
            "bitsandbytes of 4 bits",
        ),
        (
            partial(makers.table_of_4_bits, is_nested=True),
            {"load_in_4bit": True, "bnb_4bit_use_double_quant": True},
            "bitsandbytes of 4 bits",
        ),
        (
            makers.integers_of_rows,
            {"quant_method": "bitsandbytes", "load_in_8bit": True},
            "bitsandbytes of 8 bits",
        ),
    ],
)
def test_a_quantized_checkpoint_becomes_the_weights_that_it_stands_for(
    maker: Callable[..., Any], description: dict[str, Any], label: str, tmp_path: Path
) -> None:
    assert_same(save_pair(tmp_path, description, maker, num_hidden_layers=1), label)


def test_layers_of_gptq_that_dynamic_names_have_their_own_bits_and_groups_or_none(tmp_path: Path) -> None:
    """The first pattern that names a layer from its beginning counts, as for GPTQModel and vLLM."""
    dynamic = {
        "-:.*q_proj": {},
        r"model\.layers\.\d+\.mlp\.down": {"bits": 8, "group_size": 16},
        "+:.*(down|up)_proj": {"bits": 2},
        "layers": {"bits": 3},
    }

    def quantize(weight: Tensor) -> Quantized:
        is_down, is_up = (weight.shape == shape for shape in ((64, 96), (96, 64)))
        if is_down:
            return makers.gptq(weight, bits=8, group_size=16)
        return makers.gptq(weight, bits=2 if is_up else 4, group_size=32)

    pair = save_pair(
        tmp_path,
        gptq(dynamic=dynamic),
        quantize,
        ends=("k_proj.weight", "v_proj.weight", "o_proj.weight", "up_proj.weight", "down_proj.weight"),
        num_hidden_layers=1,
        intermediate_size=96,
    )
    assert_same(pair, "GPTQ of 4 bits in groups of 32, and of others in some layers")


def torchao(config: str) -> dict[str, Any]:
    described = {"_type": config, "_version": 2, "_data": {}}
    return {"quant_method": "torchao", "quant_type": {"default": described}}


ROWS, NIBBLES = {"block_size": (1, 0)}, {"block_size": (1, 32)}
TORCHAO: dict[str, tuple[Callable[..., Any], Any]] = {
    "Int8WeightOnlyConfig": (
        partial(torchao_makers.integers, bits=8, block=(1, 0)),
        torchao_makers.metadata("Int8Tensor", **ROWS),
    ),
    "Int8DynamicActivationInt8WeightConfig": (
        partial(torchao_makers.integers, bits=8, block=(0, 0), is_symmetric=False),
        torchao_makers.metadata("Int8Tensor", block_size=(0, 0), act_quant_kwargs={"_type": "Anything"}),
    ),
    "Int8DynamicActivationIntxWeightConfig": (
        partial(torchao_makers.integers, bits=4, block=(1, 32), is_symmetric=False),
        torchao_makers.metadata(
            "IntxUnpackedToInt8Tensor", target_dtype={"_type": "torch.dtype", "_data": "int4"}, **NIBBLES
        ),
    ),
    "IntxWeightOnlyConfig": (
        partial(torchao_makers.integers, bits=6, block=(2, 16)),
        torchao_makers.metadata(
            "IntxUnpackedToInt8Tensor",
            target_dtype={"_type": "torch.dtype", "_data": "int6"},
            block_size=(2, 16),
        ),
    ),
    "Int4WeightOnlyConfig": (
        partial(torchao_makers.nibbles, group_size=32),
        torchao_makers.metadata("Int4Tensor", **NIBBLES),
    ),
    "Float8WeightOnlyConfig": (
        partial(torchao_makers.floats, block=(1, 0)),
        torchao_makers.metadata("Float8Tensor", **ROWS),
    ),
    "Float8DynamicActivationFloat8WeightConfig": (
        partial(torchao_makers.floats, block=(0, 0)),
        torchao_makers.metadata("Float8Tensor"),
    ),
    "FqnToConfig": (
        partial(torchao_makers.floats, block=(16, 32)),
        torchao_makers.metadata("Float8Tensor", block_size=(16, 32)),
    ),
}


@pytest.mark.parametrize("config", TORCHAO)
def test_weights_of_torchaos_classes_become_those_that_they_stand_for(config: str, tmp_path: Path) -> None:
    maker, metadata = TORCHAO[config]
    pair = save_pair(tmp_path, torchao(config), maker, num_hidden_layers=1, metadata=metadata)
    assert_same(pair, f"torchao's {config}")


@pytest.mark.parametrize(
    ("quant_type", "label"),
    [("int8_weight_only", "torchao's int8_weight_only"), ({"default": []}, "torchao")],
)
def test_the_classes_of_weights_count_and_no_description(
    quant_type: object, label: str, tmp_path: Path
) -> None:
    maker, metadata = TORCHAO["Int4WeightOnlyConfig"]
    described = {"quant_method": "torchao", "quant_type": quant_type}
    assert_same(save_pair(tmp_path, described, maker, num_hidden_layers=1, metadata=metadata), label)


def test_experts_in_mxfp4_are_unpacked(tmp_path: Path) -> None:
    ends = ("experts.gate_up_proj", "experts.down_proj")
    sizes: dict[str, Any] = {"num_hidden_layers": 1, "layer_types": ["full_attention"]}
    pair = save_pair(tmp_path, {"quant_method": "mxfp4"}, makers.mxfp4, "gpt_oss", ends=ends, **sizes)
    assert_same(pair, "MXFP4, 4-bit floats in groups of 32")


def test_experts_that_are_stored_one_by_one_are_unpacked(tmp_path: Path) -> None:
    pair = save_pair(
        tmp_path,
        {"quant_method": "fp8", "weight_block_size": [32, 32]},
        partial(makers.block_float8, block=(32, 32)),
        "qwen3_moe",
        num_hidden_layers=1,
    )
    assert_same(pair, "8-bit floats in blocks of 32 x 32")
