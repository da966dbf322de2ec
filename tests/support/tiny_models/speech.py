"""Tiny Whisper models of random weights that hear three seconds at once, and sounds for them."""

from pathlib import Path
from typing import Any, Final

import torch
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerFast,
    WhisperConfig,
    WhisperFeatureExtractor,
    WhisperForConditionalGeneration,
)

from tests.support.tiny_models.text import tiny_tokenizer

WINDOW_S: Final = 3
NUM_TIMESTAMPS: Final = WINDOW_S * 50 + 1
LANGUAGES: Final = ("en", "de", "fr")
_SPECIAL: Final = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    *(f"<|{language}|>" for language in LANGUAGES),
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)
# The tokens that may come, and the end: letters, so that there are words, and parts of é and €.
TEXT_TOKENS: Final = (*"abcdefghij,", "Ġ", "Ã", "©", "Ã©", "â", "Ĥ", "¬", "<|endoftext|>")


def speech_tokenizer() -> PreTrainedTokenizerFast:
    """Return the byte-level tokenizer with Whisper's special tokens behind the bytes, and its timestamps."""
    tokenizer = tiny_tokenizer()
    tokenizer.add_special_tokens({"extra_special_tokens": list(_SPECIAL)})
    # As in Whisper's own files, timestamps are added tokens and not special.
    tokenizer.add_tokens([f"<|{place * 0.02:.2f}|>" for place in range(NUM_TIMESTAMPS)])
    tokenizer.eos_token = "<|endoftext|>"
    return tokenizer


def save_tiny_speech(
    directory: Path, *, is_multilingual: bool = True, seed: int = 0, spread: float = 0.4, **changes: Any
) -> Path:
    """Write a model to a directory, and return it.

    spread: the standard deviation of its weights. changes: of its generation config.
    """
    tokenizer = speech_tokenizer()
    ids = tokenizer.get_vocab()
    config = WhisperConfig(
        vocab_size=len(tokenizer),
        num_mel_bins=16,
        d_model=32,
        encoder_layers=2,
        decoder_layers=3,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_source_positions=WINDOW_S * 50,
        max_target_positions=64,
        init_std=spread,
        pad_token_id=ids["<|endoftext|>"],
        bos_token_id=ids["<|endoftext|>"],
        eos_token_id=ids["<|endoftext|>"],
        decoder_start_token_id=ids["<|startoftranscript|>"],
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    torch.manual_seed(seed)
    model = WhisperForConditionalGeneration(config)
    _untyped(model.eval)()
    languages = {f"<|{language}|>": ids[f"<|{language}|>"] for language in LANGUAGES}
    tasks = {"transcribe": ids["<|transcribe|>"], "translate": ids["<|translate|>"]}
    several = {"is_multilingual": True, "lang_to_id": languages, "task_to_id": tasks}
    settings: dict[str, Any] = {
        "decoder_start_token_id": ids["<|startoftranscript|>"],
        "eos_token_id": ids["<|endoftext|>"],
        "pad_token_id": ids["<|endoftext|>"],
        "bos_token_id": ids["<|endoftext|>"],
        "no_timestamps_token_id": ids["<|notimestamps|>"],
        "prev_sot_token_id": ids["<|startofprev|>"],
        "max_initial_timestamp_index": 50,
        "max_length": config.max_target_positions,
        "suppress_tokens": [
            each for token, each in ids.items() if token not in TEXT_TOKENS and each < ids["<|notimestamps|>"]
        ],
        "begin_suppress_tokens": [ids["Ġ"], ids["<|endoftext|>"]],
        "alignment_heads": [[1, 0], [2, 3]],
        "return_timestamps": False,
        **(several if is_multilingual else {"is_multilingual": False}),
        **changes,
    }
    model.generation_config = _untyped(GenerationConfig)(**settings)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    extractor = _untyped(WhisperFeatureExtractor)(feature_size=config.num_mel_bins, chunk_length=WINDOW_S)
    extractor.save_pretrained(directory)
    return directory


def _untyped(function: Any) -> Any:
    """Return a function of transformers that is not annotated."""
    return function
