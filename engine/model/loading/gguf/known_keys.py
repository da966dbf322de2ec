"""The keys of a GGUF file's metadata: which are read, which change nothing, and which are refused.

llama.cpp reads more keys with each release. One that is neither read here nor known to change nothing may
describe another model, so it is refused by its name, unless its value says that it is not used.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.model.loading.gguf.header import GGUFHeader, MetadataValue
from engine.port.errors import ModelNotSupported

# Those of an architecture, without its name: what is read of each file.
_READ: Final = frozenset(
    {
        "context_length", "block_count", "embedding_length", "feed_forward_length", "attention.head_count",
        "attention.head_count_kv", "attention.layer_norm_rms_epsilon", "attention.key_length",
        "rope.dimension_count", "rope.freq_base", "rope.scaling.type", "rope.scaling.factor",
        "rope.scaling.original_context_length", "rope.scaling.attn_factor", "rope.scale_linear",
    }
)  # fmt: skip
_GEMMA: Final = frozenset(
    {
        "attention.sliding_window", "attention.sliding_window_pattern", "rope.freq_base_swa",
        "attn_logit_softcapping", "final_logit_softcapping",
    }
)  # fmt: skip
_READ_OF: Final[Mapping[str, frozenset[str]]] = {
    "llama": frozenset({"expert_count"}),
    "qwen3moe": frozenset({"expert_count", "expert_used_count", "expert_feed_forward_length"}),
    "gemma2": _GEMMA,
    "gemma3": _GEMMA,
    "phi3": frozenset({"attention.sliding_window"}),
}
# Those that change nothing, whatever the value.
_HARMLESS: Final = frozenset(
    {
        "vocab_size",  # the embedding has as many rows
        "tensor_data_layout",  # whose the weights were before they were converted
        "rope.scaling.finetuned",  # which llama.cpp shows
        "pooling_type",  # of embeddings, which a setting says
        "attention.layer_norm_epsilon",  # of norms that these models do not have
        "attention.sliding_window",  # which llama.cpp reads only for other architectures
        "mm.tokens_per_image",  # of a part for images, which no such file has
        "decoder_start_token_id",
    }
)
# Those that change something, by the values with which they do not.
_INERT: Final[Mapping[str, tuple[Any, ...]]] = {
    "attention.causal": (True,),
    "expert_count": (0,),
    "expert_used_count": (0,),
    "expert_shared_count": (0,),
    "expert_group_count": (0, 1),
    "expert_group_used_count": (0, 1),
    "expert_weights_norm": (True,),
    "expert_weights_scale": (0, 1),
    "expert_gating_func": (1,),  # softmax
    "nextn_predict_layers": (0,),
    "rope.scaling.alpha": (0,),
    "rope.scaling.yarn_beta_fast": (32,),
    "rope.scaling.yarn_beta_slow": (1,),
}
# Those that are served where they have the value of another.
_SAME: Final[Mapping[str, str]] = {
    "attention.value_length": "attention.key_length",
    "attention.key_length_swa": "attention.key_length",
    "attention.value_length_swa": "attention.key_length",
    "rope.dimension_count_swa": "rope.dimension_count",
    "embedding_length_out": "embedding_length",
}
# The keys of the vocabulary: those that are read, and those that other kinds of vocabularies read.
_OF_VOCABULARY: Final = frozenset(
    {
        "ggml.model", "ggml.pre", "ggml.tokens", "ggml.token_type", "ggml.scores", "ggml.merges",
        "ggml.bos_token_id", "ggml.eos_token_id", "ggml.eot_token_id", "ggml.eom_token_id",
        "ggml.unknown_token_id", "ggml.padding_token_id", "ggml.add_bos_token", "ggml.add_eos_token",
        "ggml.add_space_prefix", "chat_template", "ggml.fim_pad_token_id", "ggml.fim_rep_token_id",
        "ggml.fim_sep_token_id",
        # Places of a text in the middle, which are found by their text, and names of further tokens.
        "ggml.fim_pre_token_id", "ggml.fim_suf_token_id", "ggml.fim_mid_token_id", "ggml.prefix_token_id",
        "ggml.suffix_token_id", "ggml.middle_token_id", "ggml.seperator_token_id", "ggml.cls_token_id",
        "ggml.mask_token_id",
        # Of vocabularies of BERT and T5, and for other programs.
        "ggml.token_type_count", "ggml.remove_extra_whitespaces", "ggml.precompiled_charsmap",
        "ggml.add_sep_token", "ggml.normalizer.lowercase", "ggml.normalizer.strip_accents", "ggml.hf_json",
        "huggingface.json", "rwkv.world", "chat_templates",
    }
)  # fmt: skip
_FURTHER_TEMPLATES: Final = "chat_template."
_MODEL: Final = "model"


def check_keys(path: Path, header: GGUFHeader, architecture: str) -> None:
    """Raise ModelNotSupported for a key that may describe another model than would be loaded."""
    metadata = header.metadata
    kind = metadata.get("general.type", _MODEL)
    if kind != _MODEL:
        raise ModelNotSupported(f"{path} holds no model: its general.type is {str(kind)[:50]!r}")
    for name, value in metadata.items():
        owner, _, key = name.partition(".")
        if owner == architecture and not _is_served(key, value, metadata, architecture):
            raise ModelNotSupported(
                f"{path} describes no model that can be loaded: {name} {_shown(value)} is not served"
            )
        if owner == "tokenizer" and not _is_of_vocabulary(key, value):
            raise ModelNotSupported(
                f"{path} has no vocabulary that can be read: {name} {_shown(value)} is not served"
            )


def _is_served(
    key: str, value: MetadataValue, metadata: Mapping[str, MetadataValue], architecture: str
) -> bool:
    if key in _READ or key in _READ_OF.get(architecture, ()) or key in _HARMLESS:
        return True
    if key in _SAME:
        other = metadata.get(f"{architecture}.{_SAME[key]}")
        return other is None or bool(value == other)
    if key in _INERT:
        return isinstance(value, int | float) and value in _INERT[key]
    return _is_unset(value)


def _is_of_vocabulary(key: str, value: MetadataValue) -> bool:
    return key in _OF_VOCABULARY or key.startswith(_FURTHER_TEMPLATES) or _is_unset(value)


def _is_unset(value: MetadataValue) -> bool:
    return len(value) == 0 if isinstance(value, tuple | np.ndarray) else value in (0, False, "")


def _shown(value: MetadataValue) -> str:
    return " ".join(str(value).split())[:50]
