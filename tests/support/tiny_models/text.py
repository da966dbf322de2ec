"""Tiny models with random weights, of many architectures, and a byte-level tokenizer; all made here."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    BloomConfig,
    DeepseekV3Config,
    DeepseekV32Config,
    FalconConfig,
    FalconH1Config,
    Gemma2Config,
    Gemma3TextConfig,
    Gemma4TextConfig,
    GenerationConfig,
    GlmMoeDsaConfig,
    GPT2Config,
    GPTJConfig,
    GPTNeoXConfig,
    GptOssConfig,
    GraniteMoeHybridConfig,
    JambaConfig,
    Lfm2Config,
    Llama4TextConfig,
    LlamaConfig,
    Mamba2Config,
    MambaConfig,
    MiniMaxConfig,
    MistralConfig,
    MixtralConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen3_5TextConfig,
    Qwen3Config,
    Qwen3MoeConfig,
    Qwen3NextConfig,
    RecurrentGemmaConfig,
    RwkvConfig,
)

END_TOKEN = "<|end|>"
SPECIAL_TOKENS = ("<|pad|>", END_TOKEN, "<|user|>", "<|assistant|>")
_MERGES = (
    "t h",
    "th e",
    "i n",
    "a n",
    "e r",
    "o u",
    "Ġ t",
    "Ġ a",
    "Ġ the",
    "an d",
    "in g",
    "Ã ©",
    "â Ĥ",
    "âĤ ¬",
)

CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tiny_tokenizer(*, has_end_token: bool = True) -> PreTrainedTokenizerFast:
    """Bytes, a few merges (some of them parts of é and €), and special tokens.

    has_end_token: whether it names one of them as the end of texts.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [(left, right) for left, right in map(str.split, _MERGES)]
    tokens = [*alphabet, *(left + right for left, right in merges)]
    vocab = {token: index for index, token in enumerate(tokens)}
    backend = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens(list(SPECIAL_TOKENS))
    tokenizer_class: Any = PreTrainedTokenizerFast
    tokenizer = tokenizer_class(
        tokenizer_object=backend,
        eos_token=END_TOKEN if has_end_token else None,
        pad_token="<|pad|>",
        chat_template=CHAT_TEMPLATE,
    )
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    return tokenizer


_SIZES: dict[str, Any] = {
    "vocab_size": 256 + len(_MERGES) + len(SPECIAL_TOKENS),
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 512,
    # Wide enough that greedy decoding wanders over the vocabulary instead of repeating one token.
    "initializer_range": 0.3,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
_LATENT: dict[str, Any] = {
    **_SIZES,
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 12,
    "first_k_dense_replace": 1,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "n_group": 2,
    "topk_group": 1,
    "moe_intermediate_size": 32,
}
_GROUPED: dict[str, Any] = {**_SIZES, "num_key_value_heads": 2, "head_dim": 16}
_WINDOW = 9

ARCHITECTURES: dict[str, Callable[[], PreTrainedConfig]] = {
    "llama": lambda: LlamaConfig(**_GROUPED),
    "qwen2": lambda: Qwen2Config(**_GROUPED),
    "qwen3": lambda: Qwen3Config(**_GROUPED),
    "mistral": lambda: MistralConfig(**_GROUPED, sliding_window=_WINDOW),
    "gemma2": lambda: Gemma2Config(
        **_GROUPED, sliding_window=_WINDOW, query_pre_attn_scalar=16, tie_word_embeddings=False
    ),
    "gemma3": lambda: Gemma3TextConfig(
        **_GROUPED,
        sliding_window=_WINDOW,
        query_pre_attn_scalar=16,
        tie_word_embeddings=False,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    ),
    "gpt2": lambda: GPT2Config(
        vocab_size=_SIZES["vocab_size"], n_embd=48, n_layer=3, n_head=4, n_positions=512,
        initializer_range=0.3, bos_token_id=None, eos_token_id=None,
    ),
    "gpt_neox": lambda: GPTNeoXConfig(
        **_SIZES, rope_parameters={"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.25}
    ),
    "mixtral": lambda: MixtralConfig(**_GROUPED, num_local_experts=4, num_experts_per_tok=2),
    "qwen3_moe": lambda: Qwen3MoeConfig(
        **_GROUPED, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32
    ),
    "deepseek_v3": lambda: DeepseekV3Config(**_LATENT),
    "gemma4": lambda: Gemma4TextConfig(
        **_GROUPED | {"num_hidden_layers": 4, "global_head_dim": 32},
        layer_types=["sliding_attention", "full_attention"] * 2,
        sliding_window=_WINDOW,
        num_kv_shared_layers=2,
        hidden_size_per_layer_input=16,
        vocab_size_per_layer_input=_SIZES["vocab_size"],
        tie_word_embeddings=False,
    ),
    "llama4": lambda: Llama4TextConfig(
        **_GROUPED,
        intermediate_size_mlp=64,
        no_rope_layers=[1, 0, 1],
        attention_chunk_size=_WINDOW,
        # so that the queries of layers without a rotary embedding soon depend on their position
        floor_scale=4,
        attn_scale=0.5,
        interleave_moe_layer_step=2,
        num_local_experts=4,
        num_experts_per_tok=2,
        tie_word_embeddings=False,
    ),
    "gpt_oss": lambda: GptOssConfig(
        **_GROUPED,
        num_local_experts=4,
        num_experts_per_tok=2,
        sliding_window=_WINDOW,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    ),
}  # fmt: skip

# Of 16 heads of an index one nearly always has a product above 0, so that no two keys score the same.
_INDEX: dict[str, Any] = {"index_n_heads": 16, "index_head_dim": 16, "index_topk": 7}

# Those that attend to the keys that an index chooses, in each layer or by the choice of an earlier one.
INDEXED: dict[str, Callable[[], PreTrainedConfig]] = {
    "deepseek_v32": lambda: DeepseekV32Config(**_LATENT, **_INDEX),
    "glm_moe_dsa": lambda: GlmMoeDsaConfig(**_LATENT, **_INDEX, indexer_types=["full", "shared", "full"]),
}

_HYBRID: dict[str, Any] = {
    **_GROUPED,
    "num_hidden_layers": 4,
    "layer_types": ["linear_attention", "full_attention"] * 2,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
_MAMBA: dict[str, Any] = {
    "mamba_n_heads": 6,
    "mamba_d_head": 16,
    "mamba_d_state": 8,
    "mamba_n_groups": 1,
    "mamba_chunk_size": 8,
}

# Those with recurrent state: gated delta rule, short convolutions, Mamba 2 beside attention and in the same
# layer, Mamba 1 and 2 alone. Mixtures use all their experts: recurrent layers compute a
# token in a chunk and alone by different formulas, and a rounding would now and then choose another expert.
HYBRIDS: dict[str, Callable[[], PreTrainedConfig]] = {
    "qwen3_next": lambda: Qwen3NextConfig(
        **_HYBRID, num_experts=2, num_experts_per_tok=2, moe_intermediate_size=16,
        shared_expert_intermediate_size=16,
    ),
    "qwen3_5": lambda: Qwen3_5TextConfig(**_HYBRID),
    "lfm2": lambda: Lfm2Config(
        **_GROUPED | {"num_hidden_layers": 4, "layer_types": ["conv", "full_attention"] * 2}
    ),
    "granitemoehybrid": lambda: GraniteMoeHybridConfig(
        **_GROUPED | {"num_hidden_layers": 4, "layer_types": ["linear_attention", "full_attention"] * 2},
        **_MAMBA, num_local_experts=2, num_experts_per_tok=2, shared_intermediate_size=16,
    ),
    "falcon_h1": lambda: FalconH1Config(**_GROUPED, **_MAMBA, mamba_d_ssm=96),
    "jamba": lambda: JambaConfig(
        **_GROUPED | {"num_hidden_layers": 4}, mamba_d_state=8, attn_layer_period=2, attn_layer_offset=1,
        num_experts=2, num_experts_per_tok=2, use_mamba_kernels=False,
    ),
    "mamba": lambda: MambaConfig(**_SIZES, state_size=8),
    "mamba2": lambda: Mamba2Config(
        **_SIZES, state_size=8, num_heads=6, head_dim=16, n_groups=1, chunk_size=8
    ),
}  # fmt: skip

# Those on the fallback path: ALiBi, positions that are no part of the attention interface, a
# cache of its own class, a state that is no cache of transformers, and one that modules keep.
FALLBACKS: dict[str, Callable[[], PreTrainedConfig]] = {
    "bloom": lambda: BloomConfig(**_SIZES, n_head=4, n_layer=3),
    "falcon": lambda: FalconConfig(**_SIZES, alibi=False, new_decoder_architecture=True, num_kv_heads=2),
    "gptj": lambda: GPTJConfig(
        **_SIZES | {"n_positions": 512, "n_embd": 48, "n_layer": 3, "n_head": 4}, rotary_dim=8
    ),
    "minimax": lambda: MiniMaxConfig(
        **_GROUPED | {"num_hidden_layers": 4, "layer_types": ["linear_attention", "full_attention"] * 2},
        num_local_experts=2, num_experts_per_tok=2, block_size=8,
    ),
    "rwkv": lambda: RwkvConfig(**_SIZES | {"context_length": 512}),
    "recurrent_gemma": lambda: RecurrentGemmaConfig(
        **_GROUPED, lru_width=48, attention_window_size=_WINDOW,
        block_types=["recurrent", "attention"],
    ),
}  # fmt: skip
ALL = ARCHITECTURES | INDEXED | HYBRIDS | FALLBACKS
# One of each kind of layer: full attention, windows, learned positions, latent keys, an index, sinks and
# experts, chunks, the two kinds of recurrent layers, both side by side, and transformers' own code.
REPRESENTATIVES = (
    "llama", "gemma3", "gpt2", "deepseek_v3", "deepseek_v32", "gpt_oss", "llama4", "qwen3_next", "mamba",
    "falcon_h1", "bloom", "rwkv",
)  # fmt: skip


def tiny_model(architecture: str = "llama", *, seed: int = 0, **changes: Any) -> PreTrainedModel:
    """A model in float32 with random weights; `changes` are set on its config."""
    config = ALL[architecture]()
    for name, value in changes.items():
        setattr(config, name, value)
    torch.manual_seed(seed)
    auto: Any = AutoModelForCausalLM
    model = auto.from_config(config, dtype=torch.float32).eval()
    assert isinstance(model, PreTrainedModel)
    return model


def save_tiny_model(
    directory: Path,
    architecture: str = "llama",
    *,
    seed: int = 0,
    has_end_token: bool = True,
    more_tokens: Sequence[str] = (),
    dtype: torch.dtype = torch.float32,
    **changes: Any,
) -> Path:
    """Writes a model and its tokenizer as a model directory. Without an end token, only max_tokens and stops
    end. more_tokens: special tokens beside those of all tiny models. dtype: of the stored weights.
    """
    tokenizer = tiny_tokenizer(has_end_token=has_end_token)
    tokenizer.backend_tokenizer.add_special_tokens(list(more_tokens))
    if more_tokens:
        changes = {"vocab_size": len(tokenizer), **changes}
    model = tiny_model(architecture, seed=seed, **changes)
    end = [tokenizer.eos_token_id] if has_end_token else None
    generation_config: Any = GenerationConfig
    model.generation_config = generation_config(eos_token_id=end, pad_token_id=tokenizer.pad_token_id)
    torch.nn.Module.to(model, dtype).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory
