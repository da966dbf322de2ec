"""A model's configuration from the metadata of its GGUF file, which has no config.json.

transformers knows which key of each architecture is which field of its configuration; what it leaves at a
default that is another model's (the size of heads, the scaling of rotary embeddings) is set here, so that a
file never gets another model's number. What llama.cpp decides by itself is decided as there.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from engine.model.loading.gguf.header import GGUFHeader, GGUFTensor
from engine.model.loading.gguf.known_keys import check_keys
from engine.port.errors import ModelNotSupported

# transformers' name of a model by the file's name of its architecture; each has been compared with a model
# that transformers computes (tests/parity/quantized/test_gguf_parity.py).
MODEL_TYPES: Final[Mapping[str, str]] = {
    "llama": "llama",
    "qwen2": "qwen2",
    "qwen3": "qwen3",
    "qwen3moe": "qwen3_moe",
    "gemma2": "gemma2",
    "gemma3": "gemma3_text",
    "phi3": "phi3",
}
ROPE_FACTORS: Final = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
_REQUIRED: Final = (
    "context_length", "block_count", "embedding_length", "feed_forward_length", "attention.head_count",
    "attention.layer_norm_rms_epsilon",
)  # fmt: skip
_USUAL_THETA: Final = 10000.0
# Of Llama 3.1, 3.2 and 3.3, whose files have the factors that follow from these, not the numbers themselves.
_LLAMA3: Final = {
    "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
}  # fmt: skip
# Of Gemma 2, unless its file says so.
_SOFTCAPS: Final = {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}
# The models whose queries are scaled by the width of all heads together, by their number of layers.
_LAYERS_OF_27B: Final = {"gemma2": 46, "gemma3": 62}


def read_configuration(path: Path, header: GGUFHeader) -> dict[str, Any]:
    """Return what config.json would hold. Raises ModelNotSupported, by name, for what is not known."""
    from transformers.integrations import ggml  # takes a second to import

    architecture = architecture_of(path, header)
    check_keys(path, header, architecture)
    metadata = _Metadata(path, header, architecture)
    model_type = MODEL_TYPES[architecture]
    known: Any = ggml.GGUF_CONFIG_MAPPING
    fields: Mapping[str, str | None] = known[model_type.removesuffix("_text")]
    for key in _REQUIRED:
        metadata.number(key)
    config: dict[str, Any] = {
        "model_type": model_type,
        "tie_word_embeddings": "output.weight" not in metadata.tensors,
    }
    for key, field in fields.items():
        if field is not None and field != "rope_theta" and (value := metadata.number(key, None)) is not None:
            config[field] = value
    config["vocab_size"] = metadata.tensor("token_embd.weight").shape[0]
    config["dtype"] = _dtype(header)
    config["rope_parameters"] = _rope(metadata)
    head_dim = metadata.number(
        "attention.key_length", config["hidden_size"] // max(1, config["num_attention_heads"])
    )
    config["head_dim"] = head_dim
    if architecture != "phi3" and metadata.number("rope.dimension_count", head_dim) != head_dim:
        metadata.refuse(f"{architecture}.rope.dimension_count is not the size of a head, {head_dim}")
    if metadata.number("attention.value_length", head_dim) != head_dim:
        metadata.refuse(f"{architecture}.attention.value_length is not the size of a head, {head_dim}")
    for name in ("bos", "eos", "padding"):
        field = f"{name.removesuffix('ding')}_token_id"
        token_id = header.metadata.get(f"tokenizer.ggml.{name}_token_id")
        is_token = isinstance(token_id, int) and 0 <= token_id < config["vocab_size"]
        config[field] = token_id if is_token else None  # 4294967295 is none
    if "blk.0.attn_q.bias" in metadata.tensors and architecture in ("llama", "qwen3", "qwen3moe"):
        config["attention_bias"] = True
    if adjust := _ADJUSTMENTS.get(architecture):
        adjust(metadata, config)
    return config


def architecture_of(path: Path, header: GGUFHeader) -> str:
    """Return the file's name of its architecture. Raises ModelNotSupported for one that is not loaded."""
    if (num_parts := header.metadata.get("split.count", 1)) not in (0, 1):
        raise ModelNotSupported(
            f"{path} is one of {str(num_parts)[:20]} parts of a model; llama-gguf-split --merge makes one "
            "file of them"
        )
    architecture = header.metadata.get("general.architecture")
    if not isinstance(architecture, str):
        raise ModelNotSupported(f"{path} names no general.architecture")
    if architecture in ("clip", "mmproj"):
        raise ModelNotSupported(f"{path} has the part of a model for images, which does not generate text")
    if architecture not in MODEL_TYPES:
        raise ModelNotSupported(
            f"{path} has a model of the architecture {architecture[:100]}, and of GGUF files "
            f"{', '.join(MODEL_TYPES)} are loaded; a checkpoint of the model as safetensors may be"
        )
    return architecture


class _Metadata:
    """The metadata and the tensors of a file, by the names that its architecture has for them."""

    def __init__(self, path: Path, header: GGUFHeader, architecture: str) -> None:
        self.path, self.architecture = path, architecture
        self.tensors = {tensor.name: tensor for tensor in header.tensors}
        self._values = header.metadata

    def number(self, key: str, *default: Any) -> Any:
        """Return a positive number, the same for all layers where each has one; the default without one."""
        name = f"{self.architecture}.{key}"
        value: Any = self._values.get(name)
        if isinstance(value, np.ndarray):
            distinct = set(value.tolist())
            if len(distinct) != 1:
                self.refuse(f"{name} differs between layers, which is not supported")
            value = distinct.pop()
        if value is None:
            if not default:
                self.refuse(f"it has no {name}")
            return default[0]
        if isinstance(value, bool | str | tuple) or not math.isfinite(value) or value < 0:
            self.refuse(f"{name} must be a number that is not negative, and is {str(value)[:50]!r}")
        return value

    def word(self, key: str) -> str | None:
        """Return a text; None without one."""
        value = self._values.get(f"{self.architecture}.{key}")
        if value is not None and not isinstance(value, str):
            self.refuse(f"{self.architecture}.{key} must be a text, and is {str(value)[:50]}")
        return value

    def pattern(self, usual: int) -> list[bool]:
        """Return for each layer whether it has a window: all but each last one of so many, or as listed."""
        name, num_layers = f"{self.architecture}.attention.sliding_window_pattern", self.number("block_count")
        value: Any = self._values.get(name, usual)
        if isinstance(value, np.ndarray):
            if len(value) != num_layers:
                self.refuse(f"{name} is of {len(value)} layers, and there are {num_layers}")
            return [bool(each) for each in value]
        if type(value) is not int or value < 1:
            self.refuse(f"{name} must be a number above 0, or one for each layer, and is {str(value)[:50]}")
        return [index % value < value - 1 for index in range(num_layers)]

    def tensor(self, name: str) -> GGUFTensor:
        """Return a tensor that there must be."""
        if name not in self.tensors:
            self.refuse(f"it has no tensor {name}")
        return self.tensors[name]

    def factors(self, name: str) -> np.ndarray[Any, np.dtype[np.float32]] | None:
        """Return the contents of a small tensor of float32; None if there is none."""
        tensor = self.tensors.get(name)
        if tensor is None:
            return None
        if tensor.kind != "F32" or len(tensor.shape) != 1 or tensor.shape[0] > 1 << 16:
            self.refuse(f"{name} is {list(tensor.shape)} of {tensor.kind}, which should be one row of F32")
        with self.path.open("rb") as file:
            file.seek(tensor.first)
            return np.frombuffer(file.read(tensor.num_bytes), np.float32)

    def refuse(self, reason: str) -> NoReturn:
        raise ModelNotSupported(f"{self.path} describes no model that can be loaded: {reason}")


def _dtype(header: GGUFHeader) -> str:
    """Return the type that fits the matrices best: blocks are 16-bit floats times small integers."""
    kinds = {tensor.kind for tensor in header.tensors if len(tensor.shape) > 1}
    if kinds <= {"F32"}:
        return "float32"
    return "bfloat16" if "BF16" in kinds or "F32" in kinds else "float16"


def _rope(metadata: _Metadata) -> dict[str, Any]:
    """Return the parameters of the rotary embedding, as llama.cpp understands them.

    Without a type it is linear; the factor has an older name; 0 is none; and a factor of attention is one of
    the lengths of all rotated vectors, to which that of YaRN comes.
    """
    rope: dict[str, Any] = {
        "rope_theta": metadata.number("rope.freq_base", _USUAL_THETA),
        "rope_type": "default",
    }
    kind = metadata.word("rope.scaling.type") or "linear"
    factor = float(metadata.number("rope.scaling.factor", metadata.number("rope.scale_linear", 0)) or 1)
    attention_factor = float(metadata.number("rope.scaling.attn_factor", 1))
    context = metadata.number("context_length")
    original = metadata.number("rope.scaling.original_context_length", context)
    if kind not in ("none", "linear", "yarn", "longrope"):
        metadata.refuse(f"its rotary embedding is scaled by {kind!r}, which is not known")
    llama3, long = metadata.factors("rope_freqs.weight"), metadata.factors("rope_factors_long.weight")
    if kind != "none" and factor != 1 and (llama3 is not None or long is not None or kind == "longrope"):
        metadata.refuse(f"its rotary embedding is scaled both by factors of its own and by {factor:g}")
    if long is None and kind == "longrope":
        metadata.refuse("it has no tensor rope_factors_long.weight")
    if long is not None and llama3 is None:
        short = metadata.factors("rope_factors_short.weight")
        if short is None:
            metadata.refuse("it has no tensor rope_factors_short.weight")
        return rope | {
            "rope_type": "longrope",
            "long_factor": long.tolist(),
            "short_factor": short.tolist(),
            "original_max_position_embeddings": original,
            "attention_factor": attention_factor,
        }
    if kind == "yarn" and factor != 1:
        if factor < 1:
            metadata.refuse(f"its rotary embedding is scaled by {factor:g}, which is below 1")
        return rope | {
            "rope_type": "yarn",
            "factor": factor,
            "original_max_position_embeddings": original,
            "attention_factor": attention_factor * (0.1 * math.log(factor) + 1),
        }
    if attention_factor != 1:
        metadata.refuse(f"rope.scaling.attn_factor is {attention_factor:g}, and its scaling is {kind}")
    if llama3 is not None:
        return rope | _llama3(metadata, rope["rope_theta"], llama3)
    return rope if kind == "none" or factor == 1 else rope | {"rope_type": "linear", "factor": factor}


def _llama3(metadata: _Metadata, theta: float, factors: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return the parameters that give these factors, by which frequencies are divided."""
    found: dict[str, Any] = {"rope_type": "llama3", "factor": float(factors.max()), **_LLAMA3}
    turns = _LLAMA3["original_max_position_embeddings"] / (2 * math.pi)
    frequencies = turns * theta ** -(np.arange(len(factors)) / len(factors))
    smooth = (frequencies - _LLAMA3["low_freq_factor"]) / (
        _LLAMA3["high_freq_factor"] - _LLAMA3["low_freq_factor"]
    )
    smooth = smooth.clip(0, 1)
    if not np.allclose(factors, 1 / ((1 - smooth) / found["factor"] + smooth), rtol=1e-3):
        metadata.refuse("rope_freqs.weight holds other factors than those of Llama 3.1 to 3.3")
    return found


def _adjust_llama(metadata: _Metadata, config: dict[str, Any]) -> None:
    if metadata.number("expert_count", 0):
        metadata.refuse("it is a mixture of experts of the architecture llama, such as Mixtral")
    config["mlp_bias"] = "blk.0.ffn_up.bias" in metadata.tensors


def _adjust_experts(metadata: _Metadata, config: dict[str, Any]) -> None:
    config["moe_intermediate_size"] = metadata.number("expert_feed_forward_length")
    config |= {"norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": []}


def _adjust_gemma(metadata: _Metadata, config: dict[str, Any]) -> None:
    of_all = _LAYERS_OF_27B[metadata.architecture] == config["num_hidden_layers"]
    config["query_pre_attn_scalar"] = (
        config["hidden_size"] // config["num_attention_heads"] if of_all else config["head_dim"]
    )
    is_second = metadata.architecture == "gemma2"
    softcaps = _SOFTCAPS if is_second else dict.fromkeys(_SOFTCAPS)
    for key, usual in softcaps.items():
        config[key] = metadata.number(key, usual) or None
    if not is_second and config["attn_logit_softcapping"]:
        metadata.refuse("gemma3.attn_logit_softcapping is set, which llama.cpp reads only for Gemma 2")
    # Of Gemma 3 without a window all layers see all tokens; that of Gemma 2 is 4,096 unless the file says so.
    window = metadata.number("attention.sliding_window", 4096 if is_second else 0)
    slides = metadata.pattern(2 if is_second else 6) if window else [False] * config["num_hidden_layers"]
    if window:
        config["sliding_window"] = window
    config["layer_types"] = ["sliding_attention" if each else "full_attention" for each in slides]
    own_theta = config["rope_parameters"]["rope_theta"]
    theta = metadata.number("rope.freq_base_swa", own_theta if is_second else _USUAL_THETA)
    if not is_second:
        config["rope_parameters"] = {
            "full_attention": config["rope_parameters"],
            "sliding_attention": {"rope_type": "default", "rope_theta": theta},
        }
    elif theta != own_theta:
        metadata.refuse("gemma2.rope.freq_base_swa is not gemma2.rope.freq_base")


def _adjust_phi3(metadata: _Metadata, config: dict[str, Any]) -> None:
    head_dim = config["hidden_size"] // config["num_attention_heads"]
    config["rope_parameters"]["partial_rotary_factor"] = (
        metadata.number("rope.dimension_count", head_dim) / head_dim
    )
    config["original_max_position_embeddings"] = metadata.number(
        "rope.scaling.original_context_length", config["max_position_embeddings"]
    )
    config["sliding_window"] = metadata.number("attention.sliding_window", 0) or None


_ADJUSTMENTS: Final[Mapping[str, Callable[[_Metadata, dict[str, Any]], None]]] = {
    "llama": _adjust_llama,
    "qwen3moe": _adjust_experts,
    "gemma2": _adjust_gemma,
    "gemma3": _adjust_gemma,
    "phi3": _adjust_phi3,
}
