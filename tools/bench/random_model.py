"""Model directories with random weights, which are sufficient to measure speed."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen2Config

# The published configuration of Qwen2.5-0.5B, and smaller ones for quick checks.
SHAPES: dict[str, dict[str, Any]] = {
    "Qwen2.5-0.5B": {
        "vocab_size": 151_936,
        "hidden_size": 896,
        "intermediate_size": 4864,
        "num_hidden_layers": 24,
        "num_attention_heads": 14,
        "num_key_value_heads": 2,
        "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6},
    },
    "medium": {
        "vocab_size": 8192,
        "hidden_size": 768,
        "intermediate_size": 3072,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "num_key_value_heads": 4,
        "tie_word_embeddings": True,
    },
    "small": {
        "vocab_size": 8192,
        "hidden_size": 256,
        "intermediate_size": 1024,
        "num_hidden_layers": 6,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "tie_word_embeddings": True,
    },
}


def write_model(directory: Path, shape: str, dtype: torch.dtype = torch.bfloat16) -> None:
    """Write a model with random weights of this dtype, a complete tokenizer, and no end token."""
    ends: dict[str, Any] = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    config = Qwen2Config(**SHAPES[shape], max_position_embeddings=4096, **ends)
    torch.manual_seed(0)
    auto: Any = AutoModelForCausalLM
    auto.from_config(config, dtype=dtype).save_pretrained(directory)
    _write_tokenizer(directory, config.vocab_size)


@contextmanager
def model_directory(given: Path | None, shape: str) -> Iterator[Path]:
    """Yield the path of a model: a temporary directory, or the given path, which is created if necessary."""
    if given is None:
        with tempfile.TemporaryDirectory() as directory:
            write_model(Path(directory), shape)
            yield Path(directory)
        return
    if not given.is_file() and not (given / "model.safetensors").exists():
        given.mkdir(parents=True, exist_ok=True)
        write_model(given, shape)
    yield given.absolute()


# A chat template that only outputs the text, so that each ASCII character is one prompt token.
_CHAT: Final = "{% for message in messages %}{{ message.content }}{% endfor %}"


def _write_tokenizer(directory: Path, vocab_size: int) -> None:
    """Write a tokenizer of bytes and of words that do not occur in texts."""
    tokens = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens += [f"word{number}" for number in range(vocab_size - len(tokens))]
    vocab = {token: index for index, token in enumerate(tokens)}
    backend = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    tokenizer: Any = PreTrainedTokenizerFast
    tokenizer(tokenizer_object=backend, chat_template=_CHAT).save_pretrained(directory)
