"""GGUF files of tiny models, written by the `gguf` package as llama.cpp's converter writes them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter
from transformers import PreTrainedModel, PreTrainedTokenizerFast

ARCHITECTURES = {
    "llama": "llama",
    "qwen2": "qwen2",
    "qwen3": "qwen3",
    "qwen3_moe": "qwen3moe",
    "gemma2": "gemma2",
    "gemma3_text": "gemma3",
    "phi3": "phi3",
}
# Rows of a whole number of blocks, which K-quants have 256 numbers in, and heads of even size.
WIDE: dict[str, Any] = {
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "initializer_range": 0.05,
}
_SCALE_AT = {"Q2_K": 80, "Q3_K": 108, "Q6_K": 208}  # bytes of a block before its scale, if any
_CONTROL, _NORMAL = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL


class Written(NamedTuple):
    """A file, and the model whose weights are exactly those that the file's blocks stand for."""

    path: Path
    model: PreTrainedModel


def write_gguf(
    path: Path,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    kind: str | Callable[[str], str] = "Q8_0",
    *,
    add: dict[str, Any] | None = None,
    tensors: dict[str, np.ndarray[Any, Any]] | None = None,
) -> Written:
    """Write a model of float32, whose matrices become what `kind` stores of them.

    kind: of all, or by the model's name of a matrix. add: further metadata by key, which takes the place of
    what would be written. tensors: further ones.
    """
    config = model.config
    architecture = ARCHITECTURES[config.model_type]
    choose = kind if callable(kind) else lambda _: kind
    writer = GGUFWriter(path, architecture)
    values = {**_configuration(config, architecture), **_vocabulary(tokenizer), **(add or {})}
    for key, value in values.items():
        _add(writer, key, value)
    names = gguf.get_tensor_name_map(
        next(number for number, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture),
        config.num_hidden_layers,
    )
    weights = model.state_dict()
    for name, weight in weights.items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        if name.endswith("mlp.experts.gate_up_proj"):
            layer = name.split(".")[2]
            halves = weight.numpy().reshape(len(weight), 2, -1, weight.shape[-1])
            read = [
                _write(writer, f"blk.{layer}.ffn_{part}_exps.weight", halves[:, index], choose(name))
                for index, part in enumerate(("gate", "up"))
            ]
            weight.copy_(torch.from_numpy(np.concatenate(read, axis=1)))
            continue
        own = "output.weight" if name == "lm_head.weight" else names.get_name(name, (".weight", ".bias"))
        assert own is not None, name
        own = own if own.endswith((".weight", ".bias")) else f"{own}.weight"
        stored = _as_stored(name, weight.numpy(), config)
        read_back = _write(writer, own, stored, choose(name))
        weight.copy_(torch.from_numpy(_as_model(name, read_back, config)))
    for name, numbers in (tensors or {}).items():
        writer.add_tensor(name, numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    if config.tie_word_embeddings:
        model.tie_weights()
    return Written(path, model)


def _write(writer: GGUFWriter, name: str, weight: np.ndarray[Any, Any], kind: str) -> np.ndarray[Any, Any]:
    """Write a tensor, and return the numbers that it stands for as float32."""
    weight = np.ascontiguousarray(weight, np.float32)
    if weight.ndim == 1 or kind == "F32":
        writer.add_tensor(name, weight)
        return weight
    if kind == "F16":
        writer.add_tensor(name, weight.astype(np.float16))
        return weight.astype(np.float16).astype(np.float32)
    number = GGMLQuantizationType[kind]
    blocks = (
        _random_blocks(weight, number)
        if kind.endswith("_K") or kind.startswith("IQ")
        else gguf.quantize(weight, number)
    )
    writer.add_tensor(name, blocks, raw_dtype=number)
    return gguf.dequantize(blocks, number).reshape(weight.shape)


def _random_blocks(weight: np.ndarray[Any, Any], kind: GGMLQuantizationType) -> np.ndarray[Any, Any]:
    """Return any blocks of numbers about as large as the weight's: the package cannot make K-quants."""
    size, num_bytes = gguf.GGML_QUANT_SIZES[kind]
    random = np.random.default_rng(weight.size)
    blocks = random.integers(0, 256, (weight.size // size, num_bytes), np.uint8)
    scale = np.full(len(blocks), weight.std() / 2**9, np.float16).view(np.uint8).reshape(-1, 2)
    at = _SCALE_AT.get(kind.name, 0)
    blocks[:, at : at + 2] = scale
    if kind.name in ("Q2_K", "Q4_K", "Q5_K"):  # the scale of minima: half a group's range
        blocks[:, at + 2 : at + 4] = (scale.view(np.float16) * 8).astype(np.float16).view(np.uint8)
    return blocks.reshape(*weight.shape[:-1], -1)


def _as_stored(name: str, weight: np.ndarray[Any, Any], config: Any) -> np.ndarray[Any, Any]:
    if (num_heads := _num_permuted(name, config)) is not None:
        return weight.reshape(num_heads, 2, -1, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)
    return weight + 1 if _is_shifted(name, config) else weight


def _as_model(name: str, stored: np.ndarray[Any, Any], config: Any) -> np.ndarray[Any, Any]:
    if (num_heads := _num_permuted(name, config)) is not None:
        return stored.reshape(num_heads, -1, 2, *stored.shape[1:]).swapaxes(1, 2).reshape(stored.shape)
    return stored - 1 if _is_shifted(name, config) else stored


def _num_permuted(name: str, config: Any) -> int | None:
    if config.model_type != "llama":
        return None
    return {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}.get(
        name.split(".")[-2]
    )


def _is_shifted(name: str, config: Any) -> bool:
    return config.model_type.startswith("gemma") and name.endswith("norm.weight")


def _configuration(config: Any, architecture: str) -> dict[str, Any]:
    rope = config.rope_parameters
    values = {
        "context_length": config.max_position_embeddings,
        "block_count": config.num_hidden_layers,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": float(config.rms_norm_eps),
        "rope.freq_base": float(rope.get("full_attention", rope)["rope_theta"]),
    }
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    if architecture == "phi3":
        values["rope.dimension_count"] = head_dim
    else:
        values |= {"attention.key_length": head_dim, "attention.value_length": head_dim}
    if architecture == "llama":
        values["rope.dimension_count"] = head_dim
    if architecture == "qwen3moe":
        values |= {
            "expert_count": config.num_experts,
            "expert_used_count": config.num_experts_per_tok,
            "expert_feed_forward_length": config.moe_intermediate_size,
        }
    if architecture.startswith("gemma"):
        values["attention.sliding_window"] = config.sliding_window
    if architecture == "gemma2":
        values["attn_logit_softcapping"] = float(config.attn_logit_softcapping)
        values["final_logit_softcapping"] = float(config.final_logit_softcapping)
    return {f"{architecture}.{key}": value for key, value in values.items()}


def _vocabulary(tokenizer: PreTrainedTokenizerFast) -> dict[str, Any]:
    """Return the metadata of a byte-level tokenizer that splits text as GPT-2 does."""
    own: Any = tokenizer
    vocabulary: dict[str, int] = own.get_vocab()
    added = own.added_tokens_decoder
    merges = [f"{left} {right}" for left, right in _merges(own)]
    values: dict[str, Any] = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": sorted(vocabulary, key=vocabulary.__getitem__),
        "tokenizer.ggml.token_type": [
            int(_CONTROL if index in added else _NORMAL) for index in range(len(vocabulary))
        ],
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.eos_token_id": own.eos_token_id,
        "tokenizer.ggml.padding_token_id": own.pad_token_id,
    }
    return values | ({"tokenizer.chat_template": own.chat_template} if own.chat_template else {})


def _merges(tokenizer: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["merges"]
    return found


def _add(writer: GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    elif value is not None:
        writer.add_array(key, value)
