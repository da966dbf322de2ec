"""Tests which models load, and how those that cannot be served are refused."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import (
    AutoModelForCausalLM,
    GraniteSpeechConfig,
    LlamaConfig,
    MixtralConfig,
    PreTrainedConfig,
    T5Config,
    ViTConfig,
)
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from engine.attention import paged_attention as attention
from engine.build import build_core, build_parts
from engine.config import EngineConfig
from engine.linear.channel_scales import channel_scales
from engine.linear.packed_linear import PackedLinear, can_pack, convert_float16, pack_linears
from engine.linear.rounded.int8_linear import Int8Linear
from engine.linear.rounded.native_channels import native_panels
from engine.linear.rounded.quantization import quantize_linears
from engine.model.checks.self_check import paged_logits
from engine.model.loading.loader import load_model
from engine.native.bfloat16 import has_compiled_bfloat16, has_fast_bfloat16, has_onednn_bfloat16
from engine.port.errors import ModelNotSupported
from tests.support.selection.instructions import needs_compiled_bfloat16
from tests.support.tiny_models.text import save_tiny_model, tiny_model


def load(directory: Path, **settings: Any) -> Any:
    return load_model(EngineConfig(model=str(directory), device="cpu", **settings), lambda line: None)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (T5Config(), "encoder-decoder"),
        (ViTConfig(), "not a causal language model"),
        (GraniteSpeechConfig(), "reads more than text"),
    ],
)
def test_what_is_no_decoder_of_text_is_refused_before_its_weights_are_read(
    config: PreTrainedConfig, reason: str, tmp_path: Path
) -> None:
    config.save_pretrained(tmp_path)
    with pytest.raises(ModelNotSupported, match=reason):
        load(tmp_path)


@pytest.mark.parametrize(
    ("architecture", "obstacle"), [("bloom", "attention interface"), ("gptj", "attention interface")]
)
def test_a_model_that_cannot_attend_over_pages_is_known_before_its_weights_are_read(
    architecture: str, obstacle: str, tmp_path: Path
) -> None:
    model = load(save_tiny_model(tmp_path, architecture))
    assert obstacle in model.plan.paged_obstacle
    assert model.model.config._attn_implementation == "eager"


def test_a_directory_without_weights_is_refused(tmp_path: Path) -> None:
    LlamaConfig().save_pretrained(tmp_path)
    with pytest.raises(ModelNotSupported, match="weights"):
        load(tmp_path)


def test_weights_that_were_cut_short_are_refused(tmp_path: Path) -> None:
    save_tiny_model(tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ModelNotSupported, match="no whole safetensors file"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["./missing", "/missing", "~/missing", "some/missing/model"])
def test_a_path_that_does_not_exist_is_not_sought_on_the_hub(name: str) -> None:
    said: list[str] = []
    with pytest.raises(ModelNotSupported, match=f"no such directory: {name}"):
        load_model(EngineConfig(model=name), said.append)
    assert not said


def test_a_gpu_that_is_not_there_is_refused_in_words(llama: Path) -> None:
    with pytest.raises(ModelNotSupported, match="cuda:99 cannot be used: .*torch"):
        load_model(EngineConfig(model=str(llama), device="cuda:99"), lambda line: None)


def test_the_size_of_weights_is_told_in_a_fitting_unit(llama: Path) -> None:
    said: list[str] = []
    load_model(EngineConfig(model=str(llama), device="cpu", dtype="float32"), said.append)
    assert re.fullmatch(
        r"loading [1-9]\d*\.\d MB of weights as float32 onto cpu|loading 0\.[1-9] MB .*", said[0]
    )


def test_a_context_beyond_the_models_is_refused(llama: Path) -> None:
    assert load(llama, max_total_tokens=100).plan.max_total_tokens == 100
    with pytest.raises(ModelNotSupported, match="513 exceeds"):
        load(llama, max_total_tokens=513)


def test_a_rotary_embedding_that_varies_with_length_stays_within_its_original_context(tmp_path: Path) -> None:
    rope = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 128}
    save_tiny_model(tmp_path, max_position_embeddings=512, rope_parameters=rope)
    assert load(tmp_path).plan.max_total_tokens == 128


def test_end_tokens_come_as_a_list_from_the_generation_config(tmp_path: Path) -> None:
    save_tiny_model(tmp_path)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [7, 9]}')
    assert load(tmp_path).tokenizer.end_token_ids == (7, 9, 271)


def test_a_model_whose_paged_attention_differs_from_its_own_runs_on_the_fallback_path(
    llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attend = attention.PagedAttention.attend

    def attend_badly(self: Any, module: Any, query: Any, *others: Any) -> Any:
        return attend(self, module, query * 1.5, *others)

    monkeypatch.setattr(attention.PagedAttention, "attend", attend_badly)
    info = build_core(EngineConfig(model=str(llama), device="cpu"), lambda line: None).info
    assert info.paged_obstacle is not None
    assert info.paged_obstacle.startswith("paged attention differs from LlamaForCausalLM's own by ")


def test_a_layer_that_hides_its_window_runs_on_the_fallback_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_tiny_model(tmp_path, "gemma3")
    dispatch = attention.dispatch_attention

    def without_window(*arguments: Any, sliding_window: Any = None, **others: Any) -> Any:
        return dispatch(*arguments, **others)

    monkeypatch.setitem(ALL_ATTENTION_FUNCTIONS._global_mapping, attention.ATTENTION_NAME, without_window)
    info = build_core(EngineConfig(model=str(tmp_path), device="cpu"), lambda line: None).info
    assert info.paged_obstacle == "Gemma3Attention does not tell its sliding window"


def test_config_refuses_two_cache_sizes_and_empty_batches() -> None:
    with pytest.raises(ValueError, match="not both"):
        EngineConfig(model="m", num_kv_blocks=3, kv_cache_bytes=100)
    with pytest.raises(ValueError, match="max_batch_tokens"):
        EngineConfig(model="m", max_batch_tokens=0)


def test_the_cache_is_as_large_as_asked(llama: Path) -> None:
    info = build_core(
        EngineConfig(model=str(llama), device="cpu", kv_cache_bytes=10**5), lambda line: None
    ).info
    assert info.kv_cache_bytes <= 10**5 < info.kv_cache_bytes / info.num_blocks * (info.num_blocks + 1)


@pytest.mark.skipif(not has_onednn_bfloat16(), reason="needs AVX-512, with which oneDNN takes bfloat16")
def test_packed_weights_give_the_logits_of_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "engine.linear.packed_linear.has_compiled_bfloat16", lambda: False
    )  # tests/parity/kernels/test_native_linear.py
    plain, packed = (nn.Module.to(tiny_model("qwen2"), torch.bfloat16) for _ in range(2))
    assert can_pack(packed)
    pack_linears(packed)
    assert isinstance(packed.get_submodule("model.layers.0.self_attn.q_proj"), PackedLinear)
    ids = torch.arange(40)[None]
    with torch.inference_mode():
        expected, actual = (model(input_ids=ids).logits.float() for model in (plain, packed))
        nothing = packed.get_submodule("lm_head")(torch.zeros(1, 0, 48, dtype=torch.bfloat16))
    assert (actual - expected).norm() / expected.norm() < 0.02
    assert nothing.shape == (1, 0, plain.config.vocab_size)


def test_float32_is_not_packed() -> None:
    assert not can_pack(tiny_model("llama"))


def test_rotary_frequencies_stay_in_float32(llama: Path) -> None:
    """In bfloat16 they would turn far positions by the wrong angle."""
    model = load(llama, dtype="bfloat16").model
    assert model.dtype is torch.bfloat16
    assert model.model.rotary_emb.inv_freq.dtype is torch.float32


def test_half_precision_becomes_what_the_cpu_is_fast_at(tmp_path: Path) -> None:
    save_tiny_model(tmp_path)
    LlamaConfig.from_pretrained(tmp_path, dtype="float16").save_pretrained(tmp_path)
    is_fast = has_fast_bfloat16() or has_compiled_bfloat16()
    assert load(tmp_path).model.dtype == (torch.bfloat16 if is_fast else torch.float32)


@needs_compiled_bfloat16
def test_linear_layers_keep_weights_of_float16(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, "qwen2", dtype=torch.float16)
    parts = build_parts(EngineConfig(model=str(tmp_path), device="cpu"), lambda line: None)
    assert (parts.info.dtype, parts.info.linear_dtype) == ("bfloat16", "float16")
    used = {each.name: each.in_use for each in parts.info.kernels}
    assert used["linear"] and used["layer_stacking"] and used["decode_path"]
    exact: Any = AutoModelForCausalLM
    with torch.inference_mode():
        expected = exact.from_pretrained(tmp_path, dtype=torch.float32)(torch.arange(8)[None]).logits[0]
    difference = (paged_logits(parts.runner) - expected).norm() / expected.norm()
    rounded = build_parts(
        EngineConfig(model=str(tmp_path), device="cpu", dtype="bfloat16"), lambda line: None
    )
    assert (rounded.info.dtype, rounded.info.linear_dtype) == ("bfloat16", None)
    assert difference < (paged_logits(rounded.runner) - expected).norm() / expected.norm()


def test_what_is_no_float16_is_not_converted(tmp_path: Path) -> None:
    model = load(save_tiny_model(tmp_path, "qwen2", dtype=torch.float16), dtype="float16").model
    convert_float16(model, torch.bfloat16)
    assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16}
    assert {buffer.dtype for buffer in model.buffers()} == {torch.float32}, "rotary frequencies"


@needs_compiled_bfloat16
def test_float16_is_kept_where_the_file_has_it_and_nothing_else_is_asked(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, "qwen2", dtype=torch.float16)
    assert load(tmp_path).model.dtype == torch.float16
    assert load(tmp_path, quantize="int8").model.dtype == torch.float16
    assert load(tmp_path, quantize="int8", dtype="bfloat16").model.dtype == torch.bfloat16
    assert load(tmp_path, dtype="bfloat16").model.dtype == torch.bfloat16
    weights = load_file(tmp_path / "model.safetensors")
    weights = {name: weight.bfloat16() for name, weight in weights.items()}
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    assert load(tmp_path).model.dtype != torch.float16


@needs_compiled_bfloat16
def test_float16_is_quantized_as_it_is_stored(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, "qwen2", dtype=torch.float16)
    parts = build_parts(EngineConfig(model=str(tmp_path), device="cpu", quantize="int8"), lambda line: None)
    assert (parts.info.dtype, parts.info.linear_dtype) == ("bfloat16", None)
    model = load(tmp_path, quantize="int8").model
    quantize_linears(model)
    stored = load_file(tmp_path / "model.safetensors")["model.layers.0.self_attn.o_proj.weight"]
    layer = model.get_submodule("model.layers.0.self_attn.o_proj")
    assert isinstance(layer, Int8Linear)
    assert layer.packed.scales is not None
    assert torch.equal(layer.packed.scales[: len(stored)], channel_scales(stored))
    assert torch.equal(layer.packed.panels, native_panels(stored, channel_scales(stored)))


def test_half_precision_of_experts_is_float32_where_torch_is_slow_in_bfloat16(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, "mixtral")
    MixtralConfig.from_pretrained(tmp_path, dtype="bfloat16").save_pretrained(tmp_path)
    expected = torch.bfloat16 if has_fast_bfloat16() else torch.float32
    assert load(tmp_path).model.dtype == expected
