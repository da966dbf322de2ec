"""Tiny models with random weights, of many architectures, and a byte-level tokenizer; all made here."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    DeepseekV3Config,
    Gemma2Config,
    Gemma3TextConfig,
    Gemma4TextConfig,
    GenerationConfig,
    GPT2Config,
    GPTNeoXConfig,
    GptOssConfig,
    LlamaConfig,
    MistralConfig,
    MixtralConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen3Config,
    Qwen3MoeConfig,
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


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Bytes, a few merges (some of them parts of é and €), and special tokens."""
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
        tokenizer_object=backend, eos_token=END_TOKEN, pad_token="<|pad|>", chat_template=CHAT_TEMPLATE
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
    "deepseek_v3": lambda: DeepseekV3Config(
        **_SIZES,
        num_key_value_heads=4,
        q_lora_rank=16,
        kv_lora_rank=16,
        qk_rope_head_dim=8,
        qk_nope_head_dim=8,
        v_head_dim=12,
        first_k_dense_replace=1,
        n_routed_experts=8,
        num_experts_per_tok=2,
        n_group=2,
        topk_group=1,
        moe_intermediate_size=32,
    ),
    "gemma4": lambda: Gemma4TextConfig(
        **_GROUPED | {"num_hidden_layers": 4, "global_head_dim": 32},
        layer_types=["sliding_attention", "full_attention"] * 2,
        sliding_window=_WINDOW,
        num_kv_shared_layers=2,
        hidden_size_per_layer_input=16,
        vocab_size_per_layer_input=_SIZES["vocab_size"],
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


def tiny_model(architecture: str = "llama", *, seed: int = 0, **changes: Any) -> PreTrainedModel:
    """A model in float32 with random weights; `changes` are set on its config."""
    config = ARCHITECTURES[architecture]()
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
    **changes: Any,
) -> Path:
    """Writes a model and its tokenizer as a model directory. Without an end token, only max_tokens and stops
    end. more_tokens: special tokens beside those of all tiny models.
    """
    tokenizer = tiny_tokenizer()
    tokenizer.backend_tokenizer.add_special_tokens(list(more_tokens))
    if more_tokens:
        changes = {"vocab_size": len(tokenizer), **changes}
    model = tiny_model(architecture, seed=seed, **changes)
    end = [tokenizer.eos_token_id] if has_end_token else None
    generation_config: Any = GenerationConfig
    model.generation_config = generation_config(eos_token_id=end, pad_token_id=tokenizer.pad_token_id)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory
