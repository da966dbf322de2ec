"""Tests that quantized checkpoints which are not as their format says are refused in one line."""

import json
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.assembly.prepared_model import prepare_model
from engine.config import EngineConfig
from engine.dry_run import dry_run
from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine.model.loading.quantized import makers, torchao_makers
from tests.unit.engine.model.loading.quantized.pairs import WEIGHTS, compressed, describe, save_pair
from tests.unit.engine.model.loading.quantized.test_formats import torchao

Copy = Callable[[dict[str, Any]], Path]
Q = "model.layers.0.self_attn.q_proj."
GPTQ: dict[str, Any] = {"quant_method": "gptq", "bits": 4, "group_size": 32}
FP8: dict[str, Any] = {"quant_method": "fp8", "weight_block_size": [32, 32]}
PACKED: dict[str, Any] = compressed("pack-quantized", num_bits=4, strategy="group", group_size=32)
NF4: dict[str, Any] = {"quant_method": "bitsandbytes", "load_in_4bit": True}
INT4, INTX, FLOAT8 = torchao("Int4WeightOnlyConfig"), torchao("IntxWeightOnlyConfig"), torchao("Float8")
MADE: dict[str, tuple[dict[str, Any], Callable[[Tensor], Any]]] = {
    "gptq": (GPTQ, partial(makers.gptq, bits=4, group_size=32)),
    "fp8": (FP8, partial(makers.block_float8, block=(32, 32))),
    "packed": (PACKED, partial(makers.packed, bits=4, group_size=32, is_symmetric=True)),
    "nf4": (NF4, partial(makers.table_of_4_bits, is_nested=False)),
    "int4": (INT4, partial(torchao_makers.nibbles, group_size=32)),
    "intx": (INTX, partial(torchao_makers.integers, bits=4, block=(1, 32))),
    "float8": (FLOAT8, partial(torchao_makers.floats, block=(1, 0))),
}
METADATA = {
    "int4": torchao_makers.metadata("Int4Tensor", block_size=(1, 32)),
    "intx": torchao_makers.metadata(
        "IntxUnpackedToInt8Tensor", target_dtype={"_data": "int4"}, block_size=(1, 32)
    ),
    "float8": torchao_makers.metadata("Float8Tensor"),
}


def refusal(directory: Path, dtype: str = "auto") -> str:
    config = EngineConfig(model=str(directory), device="cpu", dtype=dtype)
    with pytest.raises(ModelNotSupported) as caught:
        prepare_model(config, lambda line: None)
    line = str(caught.value)
    assert "\n" not in line
    return line


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directories that are named after their formats."""
    directory = tmp_path_factory.mktemp("checkpoints")
    for name, (description, make) in MADE.items():
        metadata = METADATA.get(name, lambda _: {})
        save_pair(directory / name, description, make, num_hidden_layers=1, metadata=metadata)
    return directory


@pytest.fixture
def checkpoint(checkpoints: Path, tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Return a function that copies the checkpoint of a format."""

    def copy(description: dict[str, Any]) -> Path:
        name = next(name for name, (known, _) in MADE.items() if known is description)
        return shutil.copytree(checkpoints / name / "quantized", tmp_path / "copy")

    return copy


def metadata_of(path: Path) -> dict[str, str]:
    with safe_open(path, framework="pt") as file:
        found: dict[str, str] = file.metadata()
    return found


def with_tensors(directory: Path, **changes: Tensor | None) -> Path:
    """Replace tensors of one layer, or remove those that are None."""
    tensors, metadata = load_file(directory / WEIGHTS), metadata_of(directory / WEIGHTS)
    for end, tensor in changes.items():
        tensors.pop(Q + end, None)
        if tensor is not None:
            tensors[Q + end] = tensor
    save_file(tensors, directory / WEIGHTS, metadata)
    return directory


def with_metadata(directory: Path, text: str | None) -> Path:
    """Replace what the metadata say of the weight of that layer, or remove it."""
    metadata = metadata_of(directory / WEIGHTS)
    metadata.pop(Q + "weight")
    if text is not None:
        metadata[Q + "weight"] = text
    save_file(load_file(directory / WEIGHTS), directory / WEIGHTS, metadata)
    return directory


STATE = "weight.quant_state.bitsandbytes__nf4"


def state(**changes: Any) -> Tensor:
    text = json.dumps({"quant_type": "nf4", "blocksize": 64, "shape": [64, 64]} | changes)
    return torch.tensor(list(text.encode()), dtype=torch.uint8)


def described(kind: str = "Int4Tensor", **changes: Any) -> str:
    return json.dumps({"_type": kind, "_data": {"shape": [64, 64], "block_size": [1, 32]} | changes})


HEADERS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (GPTQ, {"scales": None}, f"lack {Q}scales"),
    (GPTQ, {"qzeros": None}, f"lack {Q}qzeros"),
    (GPTQ, {"qweight": None}, "hold tensors inside the model|lack what its config.json"),
    (GPTQ, {"scales": torch.ones(2, 65)}, r"q_proj.scales is \[2, 65\], which should be \[2, 64\]"),
    (GPTQ, {"scales": torch.ones(64)}, r"q_proj.scales is \[64\], which should be \[2, 64\]"),
    (GPTQ, {"qzeros": torch.ones(2, 8, dtype=torch.int64)}, "q_proj.qzeros is of I64, which should be I32"),
    (GPTQ, {"qweight": torch.ones(64, 64)}, "q_proj.qweight is of F32, which should be I32"),
    (GPTQ, {"qweight": torch.ones(8, dtype=torch.int32)}, "q_proj.qweight is .8., which should have two"),
    (GPTQ, {"qweight": torch.ones(0, 64, dtype=torch.int32)}, "q_proj.qweight is .0, 64., which is empty"),
    (GPTQ, {"qweight": torch.ones(2, 64, dtype=torch.int32)}, "has 16 inputs, fewer than a group of 32"),
    (GPTQ, {"g_idx": torch.zeros(63, dtype=torch.int32)}, r"q_proj.g_idx is \[63\], which should be \[64\]"),
    (GPTQ, {"weight": torch.ones(64, 64)}, "q_proj.weight is stored twice"),
    (FP8, {"weight_scale_inv": None}, f"lack {Q}weight_scale_inv"),
    (FP8, {"weight_scale_inv": torch.ones(3, 2)}, r"weight_scale_inv is \[3, 2\], which should be \[2, 2\]"),
    (FP8, {"weight": torch.ones(64, dtype=torch.float8_e4m3fn)}, "q_proj.weight is .64., which should have"),
    (FP8, {"weight": torch.ones(64, 32).to(torch.float8_e4m3fn)}, "which should be"),
    (PACKED, {"weight_scale": None}, f"lack {Q}weight_scale"),
    (
        PACKED,
        {"weight_shape": torch.tensor([64, 10**9])},
        "weight_shape says .64, 1000000000., and there are",
    ),
    (PACKED, {"weight_shape": torch.tensor([64, -1])}, "weight_shape says .64, -1., and there are 64 rows"),
    (PACKED, {"weight_scale": torch.ones(64, 3)}, r"weight_scale is .64, 3., which should be .64, 2."),
    (NF4, {"weight.absmax": None}, f"lack {Q}weight.absmax"),
    (NF4, {"weight.absmax": torch.ones(63)}, r"weight.absmax is .63., which should be .64."),
    (NF4, {"weight": torch.ones(9, 1, dtype=torch.uint8)}, r"weight is .9, 1., which should be .2048, 1."),
    (NF4, {STATE: state(shape=[2**39, 2**39])}, "which should be"),
    (NF4, {STATE: state(shape=[64, -64])}, "must have positive sizes"),
    (NF4, {STATE: state(shape=[True])}, "must have positive sizes"),
    (NF4, {STATE: state(blocksize=0)}, "must have positive sizes"),
    (NF4, {STATE: torch.full((9,), 91, dtype=torch.uint8)}, "nf4 describes no weight"),
    (FP8, {"weight": torch.ones(64, 64, dtype=torch.int8)}, "does not say how: .*q_proj.weight is of I8"),
    (INT4, {"_weight_qdata": None}, "hold tensors inside the model|lack what its config.json"),
    (INT4, {"_weight_scale": None}, f"lack {Q}_weight_scale"),
    (INT4, {"_weight_zero_point": None}, f"lack {Q}_weight_zero_point"),
    (INT4, {"_weight_scale": torch.ones(64, 2)}, r"_scale is .64, 2., which should be .2, 64."),
    (
        INT4,
        {"_weight_qdata": torch.ones(64, 64, dtype=torch.int8)},
        r"the shape .64, 64., and numbers for .64, 128.",
    ),
    (
        INT4,
        {"_weight_qdata": torch.ones(8, 1, 1, 4, dtype=torch.int32)},
        "_qdata is of I32, which should be I8 or",
    ),
    (INT4, {"_weight_act_pre_scale": torch.ones(64)}, "has an act_pre_scale"),
    (INT4, {"_weight_group_scale": torch.ones(64)}, "hold tensors inside the model"),
    (INT4, {"weight": torch.ones(64, 64)}, "q_proj.weight is stored twice"),
    (INTX, {"_weight_qdata": torch.ones(64, dtype=torch.int8)}, "_qdata is .64., which should have two"),
    (INTX, {"_weight_qdata": torch.ones(64, 65, dtype=torch.int8)}, "no whole number of blocks of .1, 32."),
    (INTX, {"_weight_zero_point": torch.ones(64, 1)}, r"_zero_point is .64, 1., which should be .64, 2."),
    (INTX, {"_weight_scale": torch.ones(64, 2, dtype=torch.int8)}, "_scale is of I8, which should be F16 or"),
    (FLOAT8, {"_weight_scale": torch.ones(64, 3)}, "64, 64., which are no blocks for scales of .64, 3."),
    (FLOAT8, {"_weight_scale": torch.ones(64)}, "64, 64., which are no blocks for scales of .64."),
    (
        FLOAT8,
        {"_weight_qdata": torch.ones(64).to(torch.float8_e4m3fn)},
        "64., which should have two dimensions",
    ),
]


@pytest.mark.parametrize(("description", "changes", "words"), HEADERS)
def test_headers_that_are_not_as_the_format_says_are_refused_before_weights_are_read(
    description: dict[str, Any], changes: dict[str, Any], words: str, checkpoint: Copy
) -> None:
    directory = with_tensors(checkpoint(description), **changes)
    line = refusal(directory)
    assert re.search(words, line), line
    assert dry_run(EngineConfig(model=str(directory), device="cpu"), lambda line: None).refusal == line


CONTENTS: list[tuple[dict[str, Any], dict[str, Tensor], str]] = [
    (GPTQ, {"scales": torch.full((2, 64), torch.nan)}, "its scales hold NaN or infinity"),
    (GPTQ, {"scales": torch.full((2, 64), torch.inf)}, "its scales hold NaN or infinity"),
    (GPTQ, {"g_idx": torch.full((64,), 2, dtype=torch.int32)}, "names the group 2, and there are 2"),
    (GPTQ, {"g_idx": torch.full((64,), -1, dtype=torch.int32)}, "names the group -1, and there are 2"),
    (FP8, {"weight_scale_inv": torch.full((2, 2), torch.nan)}, "its scales hold NaN or infinity"),
    (NF4, {"weight.absmax": torch.full((64,), torch.nan)}, "its scales hold NaN or infinity"),
    (NF4, {"weight.quant_map": torch.full((16,), torch.inf)}, "its quant_map hold NaN or infinity"),
    (FP8, {"weight": torch.full((64, 64), torch.nan).to(torch.float8_e4m3fn)}, "hold NaN or infinity"),
    (INT4, {"_weight_scale": torch.full((2, 64), torch.nan)}, "its scales hold NaN or infinity"),
    (INT4, {"_weight_zero_point": torch.full((2, 64), torch.inf)}, "its zero points hold NaN or infinity"),
    (INTX, {"_weight_zero_point": torch.full((64, 2), torch.nan)}, "its zeros hold NaN or infinity"),
    (
        INTX,
        {"_weight_qdata": torch.full((64, 64), 8, dtype=torch.int8)},
        "its numbers are 8 to 8, which are no integers of 4 bits",
    ),
    (FLOAT8, {"_weight_scale": torch.full((64, 1), torch.inf)}, "its scales hold NaN or infinity"),
]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, f"the metadata of the files describe no {Q}weight, of which there is {Q}_weight_qdata"),
        ("{", "describe no"),
        ("[" * 100_000, "describe no"),
        ("[]", "describe no"),
        ('"_type"', "describe no"),
        ("{}", "describe no"),
        ('{"_type": "Int4Tensor", "_data": []}', "must have a class and attributes"),
        ('{"_type": ["Int4Tensor"], "_data": {}}', "must have a class and attributes"),
        ('{"_type": "Tensor", "_data": {}}', "class Tensor, which is not known"),
        ('{"_type": "a\\nb", "_data": {}}', "class a b, which is not known"),
        (
            '{"_type": "Int4TilePackedTo4dTensor", "_data": {}}',
            "Int4TilePackedTo4dTensor, which is laid out for a kernel of NVIDIA's GPUs (tinygemm); of its "
            "classes Float8Tensor, Int4Tensor, Int8Tensor, IntxUnpackedToInt8Tensor are unpacked",
        ),
        (
            '{"_type": "Int4PlainInt32Tensor", "_data": {}}',
            "laid out for kernels of Intel's GPUs and of NPUs",
        ),
        ('{"_type": "NVFP4Tensor", "_data": {}}', "class NVFP4Tensor, which has floats of 4 bits"),
        (
            '{"_type": "Int4Tensor", "_data": {}}',
            "must have two positive integers as its shape, and has 'None'",
        ),
        (described(shape=[64, 10**12]), "has the shape [64, 1000000000000], and numbers for [64, 64]"),
        (described(shape=[64, 10**13]), "must have two positive integers as its shape"),
        (described(shape=[64, -64]), "must have two positive integers as its shape"),
        (described(shape=[64, True]), "must have two positive integers as its shape"),
        (described(shape=[64, 64, 1]), "must have two positive integers as its shape"),
        (described(block_size=[1, 0]), "must have two positive integers as its block_size"),
        (described(block_size=[1, 10**12]), "is [64, 64], whose rows have no groups of [1, 1000000000000]"),
        (described(block_size=[64, 32]), "is [64, 64], whose rows have no groups of [64, 32]"),
        (described(block_size=[1, 1]), "_weight_scale is [2, 64], which should be [64, 64]"),
        (described("Int8Tensor"), "_weight_scale is [2, 64], which should be [64, 1]"),
        (described("Float8Tensor"), "_weight_qdata is of I8, which should be F8_E4M3 or F8_E5M2"),
        (
            described("IntxUnpackedToInt8Tensor", target_dtype={"_data": "int99"}),
            "must have int1 to int8 as its target_dtype, and has 'int99'",
        ),
        (described("IntxUnpackedToInt8Tensor", target_dtype="int4"), "must have int1 to int8 as its target"),
    ],
)
def test_metadata_that_lie_are_refused_before_weights_are_read(
    text: str | None, words: str, checkpoint: Copy
) -> None:
    directory = with_metadata(checkpoint(INT4), text)
    line = refusal(directory)
    assert words in line and f"{Q}" in line
    assert dry_run(EngineConfig(model=str(directory), device="cpu"), lambda line: None).refusal == line


@pytest.mark.parametrize("dtype", ["auto", "float32"])  # kept as integers where they can, or unpacked
@pytest.mark.parametrize(("description", "changes", "words"), CONTENTS)
def test_contents_that_no_quantization_gives_are_refused_by_name(
    description: dict[str, Any], changes: dict[str, Any], words: str, dtype: str, checkpoint: Copy
) -> None:
    line = refusal(with_tensors(checkpoint(description), **changes), dtype)
    assert words in line
    assert Q + "weight" in line


@pytest.mark.parametrize(
    ("description", "words"),
    [
        (GPTQ | {"bits": 5}, "quantization_config.bits must be one of 2, 3, 4, 8, and is '5'"),
        (GPTQ | {"bits": True}, "quantization_config.bits must be an integer"),
        (GPTQ | {"group_size": 0}, "group_size must be positive, or -1"),
        (GPTQ | {"group_size": 10**15}, "fewer than a group of 1000000000000000"),
        (GPTQ | {"group_size": "many"}, "group_size must be an integer, and is 'many'"),
        (GPTQ | {"checkpoint_format": "marlin"}, "unpacked is gptq or gptq_v2, and is 'marlin'"),
        (GPTQ | {"dynamic": ["-:.*"]}, "quantization_config.dynamic must be an object"),
        (GPTQ | {"dynamic": {"+:(": {}}}, "dynamic must have patterns, which '+:(' is not"),
        (GPTQ | {"dynamic": {".*": {"bits": 5}}}, "dynamic..*.bits must be one of 2, 3, 4, 8"),
        (GPTQ | {"dynamic": {".*": 8}}, "dynamic..* must be an object"),
        (GPTQ | {"dynamic": {".*": {"format": "gptq_v2"}}}, "unpacked is gptq, and is 'gptq_v2'"),
        (GPTQ | {"dynamic": {"-:.*": {}}}, "is quantized, and dynamic says that it is not"),
        (GPTQ | {"quant_method": "awq"}, "qweight has 8 inputs, which are no groups of 32"),
        (GPTQ | {"quant_method": "awq", "version": "gemv"}, "version of weights that are unpacked is gemm"),
        (GPTQ | {"quant_method": "fp8"}, "none of its tensors is one of 8-bit floats"),
        (FP8 | {"weight_block_size": [0, 32]}, "weight_block_size must be two positive integers"),
        (FP8 | {"weight_block_size": 10**12}, "weight_block_size must be two positive integers"),
        (PACKED | {"format": "marlin-24"}, "unpacked is float-quantized or int-quantized or"),
        (PACKED | {"transform_config": {"config_groups": {}}}, "since rotated weights are not served"),
        (PACKED | {"config_groups": {}}, "config_groups must have a group"),
        (PACKED | {"config_groups": {"g": {"targets": ["re:("]}}}, "targets must be patterns"),
        (
            PACKED | {"config_groups": {"g": {"targets": ["Linear"]}}},
            "config_groups.g.weights must be an object",
        ),
        ({"quant_method": "bitsandbytes"}, "load_in_8bit or load_in_4bit must be true"),
        ({"quant_method": "aqlm"}, "quantized by aqlm, which is not unpacked here"),
    ],
)
def test_descriptions_of_formats_that_are_not_unpacked_are_refused_by_field(
    description: dict[str, Any], words: str, checkpoint: Copy
) -> None:
    directory = checkpoint(GPTQ)
    describe(directory, description)
    assert words in refusal(directory)


def test_plain_weights_that_are_said_to_be_quantized_are_refused(tmp_path: Path) -> None:
    describe(save_tiny_model(tmp_path), GPTQ)
    assert "none of its tensors is one of GPTQ of 4 bits" in refusal(tmp_path)


def test_layers_that_keep_their_inputs_first_are_refused(tmp_path: Path) -> None:
    ends = ("attn.c_proj.weight",)
    pair = save_pair(
        tmp_path, GPTQ, MADE["gptq"][1], "gpt2", part=".h.", ends=ends, hidden_size=64, num_hidden_layers=1
    )
    assert "GPT2LMHeadModel keeps its own with inputs first" in refusal(pair.quantized)


def test_quantized_weights_in_files_of_pytorchs_are_refused(checkpoint: Copy) -> None:
    directory = checkpoint(GPTQ)
    torch.save(load_file(directory / WEIGHTS), directory / "pytorch_model.bin")
    (directory / WEIGHTS).unlink()
    assert "are unpacked from safetensors only" in refusal(directory)
