"""Linear layers in 8-bit floating point: what they compute, and which layers of a model become such layers.

A product in float32 takes the place of a GPU's, which multiplies the same numbers.
"""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from engine.build import build_core
from engine.config import EngineConfig
from engine.linear.rounded.fp8_linear import Fp8Linear, Rounded, fp8_layers, round_to_fp8
from engine.linear.rounded.quantization import find_head
from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.text import save_tiny_model, tiny_model


def in_float32(
    rows: Tensor, weight: Tensor, row_scales: Tensor, scales: Tensor, dtype: torch.dtype
) -> Tensor:
    assert rows.dtype == weight.dtype == torch.float8_e4m3fn
    assert rows.is_contiguous() and weight.T.is_contiguous()  # rows by columns, as the kernels want them
    assert (row_scales.shape, scales.shape) == ((len(rows), 1), (1, weight.shape[1]))
    return ((rows.float() @ weight.float()) * row_scales * scales).to(dtype)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_outputs_are_those_of_the_layer_within_rounding(dtype: torch.dtype, bias: bool) -> None:
    torch.manual_seed(0)
    linear = nn.Linear(64, 48, bias=bias).to(dtype)
    linear.weight.data[3] *= 1e4  # a channel has a scale of its own
    rows = torch.randn(2, 5, 64, dtype=dtype)
    rows[0, 1] *= 1e-6  # and so has a row
    output, expected = Fp8Linear(linear, in_float32)(rows), linear(rows)
    assert (output.shape, output.dtype) == (expected.shape, dtype)
    others = [channel for channel in range(48) if channel != 3]  # beside which these are small
    for part in (output[..., others], expected[..., others]), (output[..., [3]].mT, expected[..., [3]].mT):
        actual, wanted = (each.float() for each in part)
        assert ((actual - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max() < 0.1


def test_a_row_of_zeros_stays_zeros() -> None:
    rounded = Rounded.of(torch.zeros(1, 16))
    assert rounded.values.float().eq(0).all() and rounded.scales.isfinite().all()


def test_a_models_layers_are_replaced_but_its_head() -> None:
    model = tiny_model("llama", hidden_size=64, intermediate_size=96, tie_word_embeddings=False)
    paths = [path for path, _ in fp8_layers(model)]
    tokens = torch.arange(9)[None]
    with torch.inference_mode():
        expected = model(input_ids=tokens).logits
        quantized = round_to_fp8(model, in_float32)
        actual = model(input_ids=tokens).logits
    assert quantized.num_layers == {"fp8": len(paths)} and not quantized.refused
    assert all(isinstance(model.get_submodule(path), Fp8Linear) for path in paths)
    assert isinstance(find_head(model), nn.Linear) and not any("lm_head" in path for path in paths)
    # Logits of random weights; those of unrelated ones differ by 1.4.
    assert 0 < (actual - expected).norm() / expected.norm() < 0.4


def test_layers_that_give_other_outputs_stay_as_they_are() -> None:
    model = tiny_model("llama", hidden_size=64, intermediate_size=96)
    spoiled = next(layer for _, layer in fp8_layers(model))

    def wrong_for_one(
        rows: Tensor, weight: Tensor, row_scales: Tensor, scales: Tensor, dtype: torch.dtype
    ) -> Tensor:
        output = in_float32(rows, weight, row_scales, scales, dtype)
        same = torch.equal(scales, Rounded.of(spoiled.weight.detach()).scales.T)
        return output.roll(1, 0) if same else output

    quantized = round_to_fp8(model, wrong_for_one)
    assert list(quantized.refused) == ["model.layers.0.self_attn.q_proj"]
    assert model.get_submodule("model.layers.0.self_attn.q_proj") is spoiled


def test_a_device_without_such_products_is_refused(tmp_path: Path) -> None:
    config = EngineConfig(model=str(save_tiny_model(tmp_path)), device="cpu", quantize="fp8")
    with pytest.raises(ModelNotSupported, match="quantize fp8 runs on a GPU only, not on cpu"):
        build_core(config, lambda line: None)

    def missing(*args: object) -> Tensor:
        raise RuntimeError("not compiled for this card")

    with pytest.raises(ModelNotSupported, match="cannot be computed here: not compiled"):
        round_to_fp8(tiny_model("llama", hidden_size=64, intermediate_size=96), missing)
