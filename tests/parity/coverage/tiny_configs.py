"""A tiny configuration of every model type that transformers has a causal language model for."""

from typing import Any

from transformers import PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.utils.import_utils import is_timm_available

from tests.support.tiny_models.gemma3n import gemma3n_config
from tests.support.tiny_models.sizes import text_sizes
from tests.support.tiny_models.text import tiny_tokenizer

VOCAB_SIZE = len(tiny_tokenizer())
_WINDOW = 9
# Sizes by the names that configurations give them; each type takes those that it has.
_SIZES: dict[str, Any] = {
    "vocab_size": VOCAB_SIZE,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": 0,
    "tie_word_embeddings": False,
    "sliding_window": _WINDOW,
    "is_decoder": True,
    "attention_chunk_size": _WINDOW,
    # experts
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "moe_num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "shared_expert_intermediate_size": 16,
    "moe_shared_expert_intermediate_size": 16,
    "n_group": 2,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    # latent attention, and the index of sparse attention
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 12,
    "index_n_heads": 16,  # so many that no two keys score 0, as they do where all products are negative
    "index_head_dim": 16,
    "index_topk": 8,
    # recurrent layers
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "mamba_d_state": 8,
    "mamba_n_heads": 4,
    "mamba_d_head": 16,
    "mamba_n_groups": 1,
    "mamba_chunk_size": 8,
    "state_size": 8,
    # the names of older types
    "embedding_size": 32,
    "ffn_dim": 48,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "word_embed_proj_dim": 32,
    "dff": 48,
    "dim_ff": 48,
    "dim_head": 8,
}
_FOUR_LAYERS = ["linear_attention", "full_attention", "linear_attention", "full_attention"]
# For types whose end tokens are more than a tiny vocabulary has, and that do not take None.
_END: dict[str, Any] = {"eos_token_id": [1]}
_OVERRIDES: dict[str, dict[str, Any]] = {
    "blt": {"encoder_hash_byte_group_vocab": 64},
    "dots3_note_text": {"num_key_value_heads": 4},
    "emu3_text_model": {"pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0},
    "mllama_text_model": {"pad_token_id": 0, "bos_token_id": 0},
    "codegen": {"rotary_dim": 4},
    "gptj": {"rotary_dim": 4},
    "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
    "bamba": {"attn_layer_indices": [1, 3], "attn_rotary_emb": 4},
    "bailing_hybrid": {"layer_types": _FOUR_LAYERS},
    "cohere_compass_text": {
        "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}}
    },
    "cwm": {"bos_token_id": 1, **_END},
    "dots1": {"n_shared_experts": 1},
    "falcon_h1": {"mamba_d_ssm": 64},
    "gemma3n_text": {"num_kv_shared_layers": 2, "layer_types": ["sliding_attention", "full_attention"] * 2,
                     "vocab_size_per_layer_input": VOCAB_SIZE,
                     "hidden_size_per_layer_input": 8, "laurel_rank": 8,
                     "activation_sparsity_pattern": [0.0] * 4},
    "gemma4_text": {"num_kv_shared_layers": 2, "layer_types": ["sliding_attention", "full_attention"] * 2,
                    "vocab_size_per_layer_input": VOCAB_SIZE,
                     "hidden_size_per_layer_input": 8, "global_head_dim": 16},
    "gemma4_unified_text": {"layer_types": ["sliding_attention", "full_attention"] * 2,
                            "global_head_dim": 16},
    "glm": _END,
    "glm4": _END,
    "glm_moe_dsa": {"indexer_types": ["full", "shared"] * 2},
    "gpt_neo": {"attention_types": [[["global", "local"], 2]], "window_size": _WINDOW},
    "granitemoehybrid": {"layer_types": _FOUR_LAYERS},
    "inkling_text": {"unpadded_vocab_size": VOCAB_SIZE, "swa_num_attention_heads": 4,
                     "swa_num_key_value_heads": 2, "sliding_window_size": _WINDOW, "swa_head_dim": 8,
                     "rel_extent": 16},
    "inkling2_text": {"unpadded_vocab_size": VOCAB_SIZE, "swa_head_dim": 8, "rel_extent": 16},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False},
    "kimi_linear": {"layer_types": _FOUR_LAYERS[1:] + _FOUR_LAYERS[:1]},
    "lfm2": {"layer_types": ["conv", "full_attention"] * 2},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 2, "num_dense_layers": 1},
    "llama4_text": {"floor_scale": 4, "attn_scale": 0.5},
    "mamba2": {"num_heads": 4, "head_dim": 16, "n_groups": 1, "chunk_size": 8},
    "modernbert-decoder": {"pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0,
                           "cls_token_id": 0, "sep_token_id": 0},
    "phi4_multimodal": _END,
    "nemotron_h": {"layers_block_type": ["mamba", "attention", "moe", "mamba"], "ssm_state_size": 8,
                   "mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 1, "chunk_size": 8,
                   "moe_shared_expert_intermediate_size": 16},
    "olmo_hybrid": {"layer_types": _FOUR_LAYERS},
    "prophetnet": {"num_hidden_layers": None},
    "qwen3_5_text": {"layer_types": _FOUR_LAYERS},
    "qwen3_5_moe_text": {"layer_types": _FOUR_LAYERS},
    "qwen3_next": {"layer_types": _FOUR_LAYERS},
    "qwen4_exp_text": {"indexer_n_heads": 4, "indexer_kv_heads": 1, "indexer_head_dim": 8,
                       "indexer_budget": 8, "indexer_compress_ratio": 2},
    "reformer": {"axial_pos_embds_dim": [16, 16], "axial_pos_shape": [16, 16],
                 "attention_head_size": 8},
    "roc_bert": {"pronunciation_embed_dim": 8, "shape_embed_dim": 8, "pronunciation_vocab_size": 16,
                 "shape_vocab_size": 16},
    "zamba2": {"layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"]},
    "xlnet": {"d_head": 8},
    "zaya": {"num_experts_per_tok": 1},
}  # fmt: skip


def tiny_config(model_type: str) -> PreTrainedConfig:
    """Return a small configuration of this type, with a few layers of each kind."""
    if model_type == "gemma3n" and is_timm_available():  # its encoder of images is timm's
        return gemma3n_config(text_sizes() | {"pad_token_id": 0}, VOCAB_SIZE - 4, VOCAB_SIZE - 2)
    kind: Any = CONFIG_MAPPING[model_type]
    defaults = kind()
    sizes = {name: value for name, value in _SIZES.items() if _has(defaults, name)}
    parts: dict[str, Any] = {}
    for name in kind.sub_configs or {}:
        part: Any = type(getattr(defaults, name, None))
        if getattr(part, "model_type", None) in CONFIG_MAPPING:
            parts[name] = tiny_config(part.model_type)
    if "kv_lora_rank" in sizes:  # latent attention expands its keys to all heads
        sizes["num_key_value_heads"] = sizes["num_attention_heads"]
    chosen = {**sizes, **parts, **_OVERRIDES.get(model_type, {})}
    config = kind(
        **{name: value for name, value in chosen.items() if name not in _UNSETTABLE.get(model_type, ())}
    )
    assert isinstance(config, PreTrainedConfig)
    return config


# Names that a configuration has and does not take.
_UNSETTABLE: dict[str, tuple[str, ...]] = {
    "falcon": ("head_dim",),
    "mistral4": ("head_dim",),
    "xlnet": ("max_position_embeddings",),
    "xlstm": ("v_head_dim", "qk_head_dim"),
    "prophetnet": ("num_hidden_layers",),
}


def _has(defaults: PreTrainedConfig, name: str) -> bool:
    """Return whether a configuration has a field, which may vary by layer."""
    try:
        return hasattr(defaults, name)
    except Exception:  # transformers has an error of its own for fields that vary by layer
        return True
