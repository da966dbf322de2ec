"""A GGUF file gives the tokens of transformers over the weights that its blocks stand for."""

from pathlib import Path
from random import Random
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType
from transformers import AutoModelForCausalLM, Phi3Config, PreTrainedModel

from engine.build import build_core
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.dry_run import dry_run
from engine.model.loading.checkpoint.directory import own_directory
from engine.model.loading.gguf import named_file
from engine.model.loading.gguf.blocks import read_blocks
from engine.model.loading.loader import load_model
from engine.native.library import Loaded
from engine.port.events import TokenEvent
from engine.port.text.tokenizer import Tokenizer
from tests.parity.test_engine_parity import Expected, add, expect, run
from tests.support.selection.effort import usually
from tests.support.tiny_models.gguf_files import WIDE, Written, write_gguf
from tests.support.tiny_models.text import END_TOKEN, tiny_model, tiny_tokenizer

_VOCABULARY = tiny_tokenizer()
# Rows of whole blocks of 32.
_SIZES: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 16, "initializer_range": 0.3,
}  # fmt: skip
_GEMMA: dict[str, Any] = {"query_pre_attn_scalar": 16}
# What each model has of its own: tied embeddings or not, windows, experts, scaled rotary embeddings.
_MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "llama 3.1": (
        "llama",
        {
            "tie_word_embeddings": True,
            "rope_parameters": {
                "rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0,
                "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
            },
        },
    ),
    "qwen2": ("qwen2", {}),
    "qwen3": ("qwen3", {"tie_word_embeddings": True}),
    "qwen3moe": ("qwen3_moe", {"moe_intermediate_size": 32, "norm_topk_prob": True}),
    "gemma2": ("gemma2", {**_GEMMA, "tie_word_embeddings": True}),
    "gemma3": (
        "gemma3",
        {**_GEMMA, "layer_types": ["sliding_attention"] * 5 + ["full_attention"], "num_hidden_layers": 6},
    ),
}  # fmt: skip
_BLOCKS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K")
_KINDS = ("F32", "F16", "BF16", *_BLOCKS, "Q2_K", "Q3_K", "IQ4_NL")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Descriptions are written beside the test's files, not to the cache of whoever runs it."""
    monkeypatch.setattr(named_file, "_folder", lambda: tmp_path / "descriptions")


@pytest.mark.parametrize("name", usually([*_MODELS, "phi3"], ("llama 3.1", "qwen2", "gemma3", "phi3")))
def test_a_file_gives_the_tokens_of_transformers(name: str, tmp_path: Path) -> None:
    written = write(tmp_path / "model.gguf", name, "Q8_0")
    core = new_core(written.path)
    expected = greedy(written.model)
    for arrival, one in enumerate(expected):
        add(core, arrival, one)
    assert tokens(core) == {arrival: until_end(one.tokens) for arrival, one in enumerate(expected)}
    assert dry_run(config_of(written.path), lambda line: None).refusal is None


@pytest.mark.parametrize("kind", _KINDS)
def test_weights_are_those_that_blocks_stand_for(kind: str, tmp_path: Path) -> None:
    written = write(tmp_path / "model.gguf", "llama", kind, num_hidden_layers=1, **WIDE)
    found = load_model(config_of(written.path), lambda line: None).model.state_dict()
    expected = written.model.state_dict()
    assert found.keys() == expected.keys()
    for name, weight in expected.items():
        torch.testing.assert_close(found[name], weight, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("quantize", [None, "int8"])
def test_a_file_of_blocks_is_served_in_16_or_8_bits(quantize: str | None, tmp_path: Path) -> None:
    written = write(tmp_path / "model.gguf", "llama", "Q4_0")
    built = build_core(
        EngineConfig(model=str(written.path), device="cpu", quantize=quantize, num_kv_blocks=64),
        lambda line: None,
    )
    core, tokenizer, info = built.core, built.tokenizer, built.info
    assert info.quantization == quantize and info.model_id == str(written.path)
    assert tokenizer.hf.chat_template == _VOCABULARY.chat_template
    add(core, 0, Expected(tuple(range(40)), [], []))
    assert len(tokens(core)[0]) > 1


@pytest.mark.parametrize("kind", _BLOCKS)
def test_compiled_code_reads_the_numbers_of_the_package(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    number = GGMLQuantizationType[kind]
    size, num_bytes = gguf.GGML_QUANT_SIZES[number]
    blocks = np.random.default_rng(1).integers(0, 256, (512, num_bytes), np.uint8).reshape(-1)
    found = read_blocks(blocks, number, (size, num_bytes))  # infinite and NaN scales among them
    monkeypatch.setattr("engine.model.loading.gguf.blocks.loaded", lambda: Loaded(None))
    expected = read_blocks(blocks, number, (size, num_bytes))
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6, equal_nan=True)
    assert len(found) == 512 * size and found.isfinite().any()


def test_text_becomes_the_tokens_of_the_original_tokenizer(tmp_path: Path) -> None:
    written = write(tmp_path / "model.gguf", "qwen2", "Q8_0")
    new_core(written.path)
    directory = own_directory(str(written.path), None)
    assert directory is not None
    found = Tokenizer.from_directory(directory, vocab_size=274, end_token_ids=())
    chance = Random(1)
    characters = "the an ing 12 9é€ß你🙂\n\t  '’s.,;_{}<|user|>" + END_TOKEN
    pieces = [*characters, "the", " and", " ing", "<|user|>", END_TOKEN, "\n\n", "  ", "I'll", "don't"]
    for _ in range(300):
        text = "".join(chance.choices(pieces, k=chance.randint(1, 30)))
        expected: Any = _VOCABULARY(text)
        assert found.encode(text) == expected.input_ids, text
        assert found.decode(found.encode(text), skip_special_tokens=False) == text


def write(path: Path, name: str, kind: str, **changes: Any) -> Written:
    model = new_model(name, **changes)
    added: dict[str, Any] = {}
    if name == "llama 3.1":
        added["rope_freqs.weight"] = rope_factors(model)
    return write_gguf(path, model, _VOCABULARY, kind, tensors=added)


def rope_factors(model: Any) -> np.ndarray[Any, Any]:
    """By what llama.cpp divides frequencies, as its converter writes it."""
    plain = 1 / 5e5 ** (np.arange(0, 16, 2) / 16)
    factors: np.ndarray[Any, Any] = (plain / model.model.rotary_emb.inv_freq.numpy()).astype(np.float32)
    return factors


def new_model(name: str, **changes: Any) -> PreTrainedModel:
    if name == "phi3":
        sizes = {key: value for key, value in _SIZES.items() if key != "head_dim"}
        config = Phi3Config(
            **sizes, vocab_size=274, num_hidden_layers=2, max_position_embeddings=512, bos_token_id=None,
            eos_token_id=None, pad_token_id=None,
        )  # fmt: skip
        torch.manual_seed(0)
        auto: Any = AutoModelForCausalLM
        model: PreTrainedModel = auto.from_config(config, dtype=torch.float32).eval()
        return model
    architecture, own = _MODELS[name]
    return tiny_model(architecture, **{**_SIZES, **own, **changes})


def greedy(model: Any) -> list[Expected]:
    model.set_attn_implementation("eager")
    chance = Random(7)
    return [expect(model, chance.choices(range(256), k=length)) for length in (3, 40)]


def until_end(found: list[int]) -> list[int]:
    """The tokens up to the end token, which a file names and transformers is told nothing of."""
    end = _VOCABULARY.convert_tokens_to_ids(END_TOKEN)
    return found[: found.index(end) + 1] if end in found else found


def config_of(path: Path) -> EngineConfig:
    return EngineConfig(model=str(path), device="cpu", dtype="float32", num_kv_blocks=64)


def new_core(path: Path) -> EngineCore:
    return build_core(config_of(path), lambda line: None).core


def tokens(core: EngineCore) -> dict[int, list[int]]:
    """The tokens of each request, once all have ended."""
    events: dict[int, list[TokenEvent]] = {}
    while core.has_work:
        run(core, events)
    return {arrival: [event.token_id for event in own] for arrival, own in events.items()}
