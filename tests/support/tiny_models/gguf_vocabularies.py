"""Small vocabularies as GGUF files have them, and texts whose ids llama.cpp and we must agree on."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from gguf import GGUFWriter
from tokenizers import pre_tokenizers

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6
BLANKS: Final = ("   ", USER_DEFINED)
_PIECES: Final = (
    "▁t", "he", "▁the", "in", "er", "▁a", "▁▁", "▁▁▁▁", "re", "on", "▁w", "or", "ld", "▁world", "ing",
    "▁Hello", "He", "ll", "llo", "Hello", "ab", "bc", "abc", "an", "ana", "▁b", "ban",
    "▁é", "你好", "12", "345",
)  # fmt: skip


def sentencepiece(*more: tuple[str, int], special: int = CONTROL, **changes: Any) -> dict[str, Any]:
    """Return the metadata of a sentencepiece vocabulary: special tokens, bytes, characters and pieces.

    more: further tokens, with their type. special: the type of <|im_end|> in the file.
    """
    tokens: list[tuple[str, int, float]] = [("<unk>", UNKNOWN, 0), ("<s>", CONTROL, 0), ("</s>", CONTROL, 0)]
    tokens += [(f"<0x{byte:02X}>", BYTE, 0) for byte in range(256)]
    tokens += [("<|im_end|>", special, -1000), ("<think>", USER_DEFINED, -1000)]
    tokens += [(token, kind, -1000) for token, kind in more]
    characters = sorted({*"".join(_PIECES), *map(chr, range(33, 127))})
    tokens += [(piece, NORMAL, -rank) for rank, piece in enumerate((*_PIECES, *characters))]
    values = {
        "model": "llama",
        "tokens": [token for token, _, _ in tokens],
        "token_type": [kind for _, kind, _ in tokens],
        "scores": [float(score) for _, _, score in tokens],
        "bos_token_id": 1,
        "eos_token_id": 2,
        **changes,
    }
    return {f"tokenizer.ggml.{name}": value for name, value in values.items()}


def byte_level(pre: str, **changes: Any) -> dict[str, Any]:
    """Return the metadata of a byte-level vocabulary, some of whose special tokens are no bytes."""
    merges = [
        "t h",
        "th e",
        "Ġ the",
        "i n",
        "Ġ w",
        "o r",
        "Ġw or",
        "l d",
        "Ġwor ld",
        "1 2",
        "Ġ Ġ",
        "Ã ©",
        "Ċ Ċ",
    ]
    tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *(merge.replace(" ", "") for merge in merges)]
    special = [
        ("<|im_end|>", CONTROL),
        ("<｜User｜>", CONTROL),
        ("<think>", USER_DEFINED),
        ("Ġworlds", NORMAL),
    ]
    values = {
        "model": "gpt2",
        "pre": pre,
        "tokens": [*tokens, *(token for token, _ in special)],
        "token_type": [NORMAL] * len(tokens) + [kind for _, kind in special],
        "merges": merges,
        "eos_token_id": len(tokens),
        **changes,
    }
    return {f"tokenizer.ggml.{name}": value for name, value in values.items()}


VOCABULARIES: Final[dict[str, dict[str, Any]]] = {
    "sentencepiece": sentencepiece(BLANKS),
    "sentencepiece without a blank before": sentencepiece(BLANKS, add_space_prefix=False),
    "sentencepiece with ends of other types": sentencepiece(
        ("<end_of_turn>", USER_DEFINED), ("<|fim_pad|>", NORMAL), special=NORMAL
    ),
    "sentencepiece of Phi-3": sentencepiece(("<|endoftext|>", CONTROL)) | {"general.name": "Phi-3 mini"},
    "byte-level of GPT-2": byte_level("gpt-2"),
    "byte-level of Qwen 2": byte_level("qwen2"),
    "byte-level of DeepSeek's Qwen": byte_level("deepseek-r1-qwen"),
    "byte-level of Llama 3": byte_level("llama-bpe"),
    "byte-level of SmolLM": byte_level("smollm"),
    "byte-level of Tekken": byte_level("tekken"),
}
TEXTS: Final = (
    "Hello world", " Hello", "  Hello", "   Hello", "Hello  world   the     end", "", " ", "  ", "\n",
    "\n\n\n", "the\n\n  the", "abc abcabc banana bananana", "<|im_end|>the", "the<|im_end|> the",
    "<think>the</think>", "<think> the\n<think>\nthe", "<s>the</s>the", "</s> \n the", "<unk>the",
    "café é 你好 한국 😀", "12345 12 3", "<end_of_turn>the <|fim_pad|>", "<｜User｜>the worlds",
    "it's I'LL we've", "\tthe\t the\r\n", "<|im_end|>  \n<|im_end|> the",
)  # fmt: skip


def write_vocabulary(path: Path, metadata: dict[str, Any]) -> Path:
    """Write a file that has a vocabulary and no tensors."""
    writer = GGUFWriter(path, "llama")
    for key, value in metadata.items():
        _add(writer, key, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def _add(writer: GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        assert isinstance(value, Sequence)
        writer.add_array(key, value)
