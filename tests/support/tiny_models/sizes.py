"""The sizes of the parts of tiny models that read more than text."""

from typing import Any

from tests.support.tiny_models.text import tiny_tokenizer

PAD_ID: int = tiny_tokenizer().pad_token_id
THREE_AXES: dict[str, Any] = {
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}
}
EYES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "initializer_range": 0.3,
}
QWEN_EYES: dict[str, Any] = {
    "depth": 2,
    "hidden_size": 32,
    "out_hidden_size": 64,
    "num_heads": 2,
    "intermediate_size": 32,
    "patch_size": 4,
    "initializer_range": 0.3,
}
GEMMA4_EYES: dict[str, Any] = {
    **EYES,
    "head_dim": 16,
    "patch_size": 4,
    "pooling_kernel_size": 2,
    "num_key_value_heads": 2,
    "position_embedding_size": 64,
}


def text_sizes(num_added_tokens: int = 0) -> dict[str, Any]:
    """Return the settings of a text model that knows more tokens than those of the tiny tokenizer."""
    return {
        "vocab_size": len(tiny_tokenizer()) + num_added_tokens,
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "initializer_range": 0.3,
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": PAD_ID,
    }


def gemma3_text(sizes: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of Gemma 3's text model of these sizes."""
    return {
        **sizes,
        "head_dim": 16,
        "sliding_window": 9,
        "query_pre_attn_scalar": 16,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
    }


def gemma4_text(sizes: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of Gemma 4's text model of these sizes."""
    return {
        **sizes,
        "head_dim": 16,
        "num_hidden_layers": 4,
        "global_head_dim": 32,
        "num_kv_shared_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
        "sliding_window": 9,
        "hidden_size_per_layer_input": 16,
        "vocab_size_per_layer_input": sizes["vocab_size"],
    }
