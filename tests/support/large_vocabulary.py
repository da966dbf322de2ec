"""A byte-level vocabulary of the size of real models', made of the texts in this repository."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

NUM_TOKENS: Final = 131_072
_ROOT: Final = Path(__file__).parents[2]
_PIECE: Final = re.compile(r"\s?[^\W\d_]+|\d{1,3}|\s?[^\s\w]+|\s+")


@cache
def large_vocabulary() -> list[bytes]:
    """Return the bytes of the tokens: the 256 bytes, then words and parts of words, with and without a blank
    before them, the most frequent first. Every run makes the same ones."""
    counts = Counter[bytes]()
    for path in sorted(_ROOT.glob("docs/**/*.md")) + sorted(_ROOT.glob("engine/**/*.py")):
        counts.update(piece.encode() for piece in _PIECE.findall(path.read_text()))
    tokens = dict.fromkeys(bytes([byte]) for byte in range(256))
    words = sorted(counts, key=lambda word: (-counts[word], word))
    for word in words:
        for end in range(2, len(word) + 1):
            tokens[word[:end]] = None
            tokens[word[-end:]] = None
    # Rare words, as vocabularies of many languages have them.
    for step in range(1, len(words)):
        if len(tokens) >= NUM_TOKENS:
            break
        tokens.update(
            (first + second.strip(), None) for first, second in zip(words, words[step:], strict=False)
        )
    return [*tokens][:NUM_TOKENS]
