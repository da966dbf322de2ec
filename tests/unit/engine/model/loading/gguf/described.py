"""The tokenizer of a GGUF file by itself."""

from pathlib import Path

from engine.model.loading.gguf.header import read_header
from engine.model.loading.gguf.vocabulary import end_token_ids, write_tokenizer
from engine.port.text.tokenizer import Tokenizer


def described(path: Path) -> tuple[Tokenizer, list[int]]:
    """Return the tokenizer of a file, and its end tokens."""
    header = read_header(path)
    write_tokenizer(path, header, path.parent)
    num_tokens = 1 << 20
    return Tokenizer.from_directory(
        path.parent, vocab_size=num_tokens, end_token_ids=(), as_written=True
    ), end_token_ids(header)
