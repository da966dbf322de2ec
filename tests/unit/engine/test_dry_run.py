"""A dry run says what an engine would be, from a model's configuration and the headers of its weights."""

import json
import os
import time
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, OpenAIGPTConfig, OpenAIGPTLMHeadModel, PreTrainedModel

from engine.assembly.model_facts import NO_DRAFTS
from engine.build import build_core
from engine.config import INT4_GROUPS, EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.demo_vision import DEMO_VISION
from engine.dry_run import dry_run
from engine.native.bfloat16 import has_compiled_bfloat16
from engine.native.instructions import is_x86
from engine.port.errors import ModelNotSupported
from engine.port.info.model_info import ModelInfo
from engine.port.request import Pooling
from tests.support.selection.instructions import needs_compiler
from tests.support.tiny_models.media import save_tiny_media_model
from tests.support.tiny_models.speech import save_tiny_speech
from tests.support.tiny_models.text import save_tiny_model, tiny_tokenizer

_NUM_SHARDS = 30
# What is tried with weights alone.
_LATER = {"layer_stacking", "decode_path"}


@pytest.mark.by_turns("architecture", "dtype")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    "architecture",
    [
        "llama",
        "qwen3",
        "gemma3",
        "gpt2",
        "deepseek_v3",
        "deepseek_v32",
        "qwen3_next",
        "mamba",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("mixtral", "llama4", "gpt_oss", "falcon_h1")
        ),
    ],
)
def test_a_dry_run_describes_the_engine_that_would_start(
    architecture: str, dtype: str, tmp_path: Path
) -> None:
    save_tiny_model(tmp_path, architecture)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": 271, "temperature": 0.6, "top_k": 20}')
    found = described_as_built(EngineConfig(model=str(tmp_path), device="cpu", dtype=dtype, num_kv_blocks=50))
    assert found.recommended_sampling == {"temperature": 0.6, "top_k": 20}


def described_as_built(config: EngineConfig) -> ModelInfo:
    """Return the description of a dry run, which must be that of the engine, but for what is tried later."""
    built = build_core(config, lambda line: None)
    core, info = built.core, built.info
    core.close()
    found = dry_run(config, lambda line: None)
    assert (found.refusal, found.notes) == (None, ())
    assert found.info is not None
    assert replace(found.info, kernels=()) == replace(info, kernels=())
    later = set() if info.paged_obstacle else _LATER
    assert later <= {kernel.name for kernel in info.kernels}
    assert found.info.kernels == tuple(kernel for kernel in info.kernels if kernel.name not in later)
    return found.info


@pytest.mark.parametrize("quantize", [None, pytest.param("int8", marks=needs_compiler)])
@pytest.mark.parametrize("directory", [DEMO_MODEL, DEMO_VISION])
def test_a_dry_run_describes_the_embedded_models(directory: Path, quantize: str | None) -> None:
    config = EngineConfig(model=str(directory), device="cpu", num_kv_blocks=50, quantize=quantize)
    found = described_as_built(config)
    assert bool(found.media) == (directory == DEMO_VISION)


@pytest.mark.parametrize("family", ["gemma3", "qwen3_vl", "llava_next"])
def test_a_dry_run_counts_the_parameters_of_an_encoder(family: str, tmp_path: Path) -> None:
    save_tiny_media_model(tmp_path, family)
    config = EngineConfig(model=str(tmp_path), device="cpu", num_kv_blocks=50)
    found, of_text = described_as_built(config), dry_run(replace(config, media=False), lambda line: None).info
    assert of_text is not None and found.media and not of_text.media
    assert found.num_parameters > of_text.num_parameters


def test_a_dry_run_refuses_a_model_whose_encoder_is_not_whole(tmp_path: Path) -> None:
    save_tiny_media_model(tmp_path, "gemma3")
    [path] = tmp_path.glob("*.safetensors")
    tensors = load_file(path)
    lost = next(name for name in tensors if "vision_tower" in name)
    save_file({name: tensor for name, tensor in tensors.items() if name != lost}, path, {"format": "pt"})
    config = EngineConfig(model=str(tmp_path), device="cpu", num_kv_blocks=50)
    with pytest.raises(ModelNotSupported, match="vision_tower") as refused:
        build_core(config, lambda line: None)
    assert dry_run(config, lambda line: None).refusal == str(refused.value)


@needs_compiler
@pytest.mark.parametrize(
    "architecture", ["llama", *(pytest.param(name, marks=pytest.mark.long) for name in ("gpt2", "lfm2"))]
)
def test_a_dry_run_counts_the_layers_of_8_and_4_bits(architecture: str, tmp_path: Path) -> None:
    save_tiny_model(tmp_path, architecture)
    config = EngineConfig(model=str(tmp_path), device="cpu", num_kv_blocks=50, quantize="int8")
    assert described_as_built(config).num_int8_layers > 0
    for quantize in INT4_GROUPS:
        config = EngineConfig(model=str(tmp_path), device="cpu", num_kv_blocks=50, quantize=quantize)
        assert described_as_built(config).num_int4_layers > 0 or architecture == "gpt2"


def test_a_dry_run_knows_float16_that_stays_and_the_pooling(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, dtype=torch.float16)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    found = described_as_built(EngineConfig(model=str(tmp_path), device="cpu", num_kv_blocks=50))
    assert found.pooling is Pooling.MEAN
    assert found.linear_dtype == ("float16" if has_compiled_bfloat16() and is_x86() else None)


def test_a_dry_run_counts_recurrent_states_and_drafts_nothing(tmp_path: Path) -> None:
    save_tiny_model(tmp_path, "qwen3_next")
    config = EngineConfig(
        model=str(tmp_path), device="cpu", num_kv_blocks=50, max_num_sequences=3, max_draft_tokens=4
    )
    found = dry_run(config, lambda line: None)
    assert found.info is not None and found.notes == (NO_DRAFTS,)
    assert (found.info.num_state_slots, found.info.max_num_sequences) == (15, 3)
    assert (found.info.state_bytes, found.info.max_draft_tokens) == (15 * 4096, 0)


@pytest.mark.by_turns("quantize", "architecture")
@pytest.mark.parametrize("quantize", [None, pytest.param("int8", marks=needs_compiler)])
@pytest.mark.parametrize("architecture", ["bloom", pytest.param("falcon", marks=pytest.mark.long), "rwkv"])
def test_a_dry_run_describes_the_fallback_path(
    architecture: str, quantize: str | None, tmp_path: Path
) -> None:
    config = EngineConfig(
        model=str(save_tiny_model(tmp_path, architecture)),
        device="cpu",
        num_kv_blocks=50,
        max_num_sequences=3,
        max_draft_tokens=4,
        quantize=quantize,
    )
    info = described_as_built(config)
    assert info.paged_obstacle is not None
    assert (info.attention, info.max_draft_tokens) == ((), 0)


def test_a_dry_run_describes_a_model_that_transcribes(tmp_path: Path) -> None:
    save_tiny_speech(tmp_path)
    config = EngineConfig(model=str(tmp_path), device="cpu", num_kv_blocks=50, max_num_sequences=3)
    info = build_core(config, lambda line: None).info
    assert info.speech is not None
    # What a sequence keeps of its sound: keys and values of 150 positions in 3 layers.
    assert info.state_bytes // info.num_state_slots >= 2 * 3 * 150 * 32 * 4
    found = dry_run(config, lambda line: None)
    assert (found.refusal, found.info, found.notes) == (None, info, ())


@pytest.mark.parametrize(
    ("file", "fault", "message"),
    [
        (
            "generation_config.json",
            {"no_timestamps_token_id": None},
            "does not say how its model transcribes",
        ),
        ("generation_config.json", {"begin_suppress_tokens": [9999]}, "tokens that the model does not have"),
        ("generation_config.json", {"alignment_heads": [[7, 0]]}, "heads that are not there"),
        ("generation_config.json", {"task_to_id": {}}, "not both of task_to_id"),
        ("generation_config.json", {"no_timestamps_token_id": 400}, "timestamps of 0.02 s"),
        ("config.json", {"median_filter_width": 4}, "must be odd"),
        ("config.json", {"median_filter_width": -1}, "must be 0 or more"),
        ("preprocessor_config.json", {"hop_length": "long"}, "preprocessor_config.json cannot be used: "),
        ("preprocessor_config.json", {"hop_length": 0}, "does not say how its model transcribes"),
        ("preprocessor_config.json", {"hop_length": 1600}, "10 frames a second are too few"),
    ],
)
def test_a_model_whose_files_do_not_say_how_it_transcribes_is_refused(
    tmp_path: Path, file: str, fault: dict[str, object], message: str
) -> None:
    save_tiny_speech(tmp_path)
    path = tmp_path / file
    path.write_text(json.dumps(json.loads(path.read_text()) | fault))
    refusal = dry_run(EngineConfig(model=str(tmp_path), device="cpu"), lambda line: None).refusal
    assert refusal is not None
    assert message in refusal


def test_a_dry_run_of_a_model_that_takes_no_cache_refuses_it(tmp_path: Path) -> None:
    save_tiny_model(tmp_path)
    config = OpenAIGPTConfig(vocab_size=len(tiny_tokenizer()), n_positions=64, n_embd=16, n_layer=1, n_head=2)
    OpenAIGPTLMHeadModel(config).save_pretrained(tmp_path)
    assert dry_run(EngineConfig(model=str(tmp_path), device="cpu"), lambda line: None).refusal == (
        "OpenAIGPTLMHeadModel does not support transformers' attention interface, and the fallback path "
        "cannot serve it: OpenAIGPTLMHeadModel takes no cache"
    )


def test_the_weights_of_a_dry_run_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_tiny_model(tmp_path)

    def read(*args: object, **named: object) -> None:
        raise AssertionError("weights are read")

    monkeypatch.setattr(PreTrainedModel, "from_pretrained", read)
    assert dry_run(EngineConfig(model=str(tmp_path), device="cpu"), lambda line: None).refusal is None


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A Llama of 70B parameters, whose files have headers and nothing but holes after them."""
    config = LlamaConfig(
        vocab_size=128256, hidden_size=8192, intermediate_size=28672, num_hidden_layers=80,
        num_attention_heads=64, num_key_value_heads=8, max_position_embeddings=131072, dtype="bfloat16",
        eos_token_id=271,
    )  # fmt: skip
    config.save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    dims = {"embed": [128256, 8192], "q": [8192, 8192], "kv": [1024, 8192], "up": [28672, 8192]}
    layer = {
        "self_attn.q_proj": dims["q"],
        "self_attn.k_proj": dims["kv"],
        "self_attn.v_proj": dims["kv"],
        "self_attn.o_proj": dims["q"],
        "mlp.gate_proj": dims["up"],
        "mlp.up_proj": dims["up"],
        "mlp.down_proj": dims["up"][::-1],
        "input_layernorm": [8192],
        "post_attention_layernorm": [8192],
    }
    shapes = {
        "model.embed_tokens.weight": dims["embed"],
        "model.norm.weight": [8192],
        "lm_head.weight": dims["embed"],
        **{f"model.layers.{n}.{name}.weight": shape for n in range(80) for name, shape in layer.items()},
    }
    files = [f"model-{index + 1:05}-of-{_NUM_SHARDS:05}.safetensors" for index in range(_NUM_SHARDS)]
    names = dict(zip(shapes, files * len(shapes), strict=False))
    for file in files:
        write_sparse(tmp_path / file, {name: shapes[name] for name in names if names[name] == file})
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": names}))
    return tmp_path


def write_sparse(path: Path, shapes: dict[str, list[int]]) -> None:
    """Write a file of tensors in bfloat16 that are all zeros, and take no room on the disk."""
    header, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + 2 * torch.Size(shape).numel()
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)


def test_a_model_of_70b_parameters_is_described_in_seconds(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = [path.stat() for path in large.glob("*.safetensors")]
    if sum(file.st_blocks for file in stored) * 512 > 2**30:
        pytest.skip("this file system has no sparse files")
    assert sum(file.st_size for file in stored) > 141e9
    config = EngineConfig(model=str(large), device="cpu", dtype="bfloat16", kv_cache_bytes=2**30)
    started = time.process_time()
    found = dry_run(config, lambda line: None)
    assert time.process_time() - started < 30
    assert found.info is not None
    assert found.info.num_parameters == 70_553_706_496
    assert found.info.weight_bytes == 2 * 70_553_706_496
    assert found.info.attention == ("full in 80 layers",)
    assert found.info.kv_cache_bytes // (found.info.num_blocks * found.info.block_size) == 327_680
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if total < 141e9:
        assert found.refusal is not None and "take 141.11 GB of memory, and cpu has" in found.refusal
    monkeypatch.setattr("engine.model.loading.memory.total_bytes", lambda device: 200 * 10**9)
    assert dry_run(config, lambda line: None).refusal is None
