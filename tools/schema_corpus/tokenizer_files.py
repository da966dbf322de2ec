"""Write the files of a tokenizer with a real model's vocabulary: Qwen's, which the package dashscope carries.

`make schema-corpus` runs this.
"""

import base64
import json
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import TikTokenConverter
from typing_extensions import override

VOCAB_SIZE: Final = 151_936  # of the models' logits; the last ones stand for no token
_RANKS: Final = "dashscope/resources/qwen.tiktoken"
_PATTERN: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_SPECIAL: Final = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


class _Converter(TikTokenConverter):
    """The library's converter, without the package tiktoken to read the file."""

    @staticmethod
    @override
    def load_tiktoken_bpe(tiktoken_url: str) -> dict[bytes, int]:
        pairs = (line.split() for line in Path(tiktoken_url).read_bytes().splitlines())
        return {base64.b64decode(token): int(rank) for token, rank in pairs}


def write_tokenizer(wheel: Path, directory: Path) -> None:
    """Write tokenizer.json, and config.json with the size of the vocabulary. wheel: dashscope's."""
    with zipfile.ZipFile(wheel) as files:
        ranks = files.extract(_RANKS, directory)
    converter: Any = _Converter
    backend = converter(ranks, _PATTERN, extra_special_tokens=[*_SPECIAL]).converted()
    make: Any = PreTrainedTokenizerFast
    tokenizer = make(tokenizer_object=backend, eos_token=_SPECIAL[-1])
    tokenizer.save_pretrained(directory)
    config = {"vocab_size": VOCAB_SIZE, "eos_token_id": tokenizer.eos_token_id}
    (directory / "config.json").write_text(json.dumps(config))


if __name__ == "__main__":
    write_tokenizer(Path(sys.argv[1]), Path(sys.argv[2]))
