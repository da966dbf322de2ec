"""Files that torchao writes are read as torchao reads them. The server needs no torchao; these tests do."""

from pathlib import Path
from typing import Any, Final

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.text import save_tiny_model, tiny_model
from tests.unit.engine.model.loading.quantized import torchao_makers
from tests.unit.engine.model.loading.quantized.pairs import WEIGHTS, describe
from tests.unit.engine.model.loading.quantized.test_formats import load

REASON: Final = "torchao is not installed; 0.18.0 is what this was written for"
quantization: Any = pytest.importorskip("torchao.quantization", reason=REASON)
files: Any = pytest.importorskip("torchao.prototype.safetensors.safetensors_support", reason=REASON)
core: Any = pytest.importorskip("torchao.core.config", reason=REASON)

dtypes: Any = torch  # whose stubs lack small integers
SIZES: Final[dict[str, Any]] = {"hidden_size": 64, "num_hidden_layers": 1}
QUIET: Final[dict[str, Any]] = {"set_inductor_config": False}  # which is the whole process's
ROW, WHOLE, GROUP = quantization.PerRow(), quantization.PerTensor(), quantization.PerGroup(32)
CONFIGS: Final[list[Any]] = [
    quantization.Int8WeightOnlyConfig(granularity=ROW, **QUIET),
    quantization.Int8WeightOnlyConfig(granularity=WHOLE, **QUIET),
    quantization.Int8DynamicActivationInt8WeightConfig(**QUIET),
    quantization.IntxWeightOnlyConfig(weight_dtype=dtypes.int4, granularity=GROUP),
    quantization.IntxWeightOnlyConfig(weight_dtype=dtypes.int3, granularity=quantization.PerAxis(0)),
    quantization.Int8DynamicActivationIntxWeightConfig(
        weight_dtype=dtypes.int4,
        weight_granularity=GROUP,
        weight_mapping_type=quantization.MappingType.ASYMMETRIC,
    ),
    quantization.Float8WeightOnlyConfig(granularity=ROW, **QUIET),
    quantization.Float8WeightOnlyConfig(granularity=WHOLE, **QUIET),
]


def save(directory: Path, model: nn.Module, config: object) -> None:
    """Write a model as transformers does: its tensors apart, and their classes in the metadata."""
    save_tiny_model(directory, "llama", **SIZES)
    tensors, metadata = files.flatten_tensor_state_dict(model.state_dict())
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(tensors, directory / WEIGHTS, {"format": "pt", **metadata})
    describe(directory, {"quant_method": "torchao", "quant_type": {"default": config}})


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: type(config).__name__)
def test_what_torchao_quantizes_has_the_numbers_that_it_gives(config: Any, tmp_path: Path) -> None:
    model = tiny_model("llama", **SIZES)
    quantization.quantize_(model, config)
    described = core.config_to_dict(config)
    save(tmp_path, model, described)
    loaded = load(tmp_path)
    assert loaded.plan.quantized is not None
    assert loaded.plan.quantized.label == f"torchao's {type(config).__name__}"
    found, num_quantized = loaded.model.state_dict(), 0
    for name, weight in model.state_dict().items():
        is_plain = type(weight) is torch.Tensor
        assert torch.equal(found[name], weight if is_plain else weight.dequantize()), name
        num_quantized += not is_plain
    assert num_quantized == 8, "with the head"


def test_weights_in_plain_packing_are_read_from_the_file_that_torchao_makes_of_them(tmp_path: Path) -> None:
    """Only GPUs quantize to these, so that the numbers are ours."""
    model: Any = tiny_model("llama", **SIZES)
    linear = model.model.layers[0].mlp.down_proj
    made = torchao_makers.nibbles(linear.weight.detach(), group_size=32)
    parts = [made.stored[f"_weight_{part}"] for part in ("qdata", "scale", "zero_point")]
    packed = quantization.Int4Tensor(*parts, block_size=[1, 32], shape=linear.weight.shape)
    linear.weight = nn.Parameter(packed, requires_grad=False)
    save(tmp_path, model, {"_type": "Int4WeightOnlyConfig"})
    found = load(tmp_path).model.state_dict()["model.layers.0.mlp.down_proj.weight"]
    assert torch.equal(found, made.plain)


def test_a_layout_for_gpus_is_refused_by_name(tmp_path: Path) -> None:
    model: Any = tiny_model("llama", **SIZES)
    linear = model.model.layers[0].mlp.down_proj
    packed = quantization.Int4TilePackedTo4dTensor(
        torch.zeros(8, 1, 32, 4, dtype=dtypes.int32),
        torch.zeros(4, 64, 2).bfloat16(),
        block_size=[1, 32],
        shape=linear.weight.shape,
    )
    linear.weight = nn.Parameter(packed, requires_grad=False)
    save(tmp_path, model, {"_type": "Int4WeightOnlyConfig"})
    with pytest.raises(
        ModelNotSupported, match="down_proj.weight .* Int4TilePackedTo4dTensor, which is laid"
    ):
        load(tmp_path)
