"""A lower bound of the number of a text's tokens, which costs far less than the tokens themselves."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

# Characters that are encoded at a time while the tokens are counted.
_SLICE: Final = 65_536
# Pre-tokenizers that keep every byte of a text, unless they are asked to remove what they split at.
_KEEPING: Final = frozenset({"ByteLevel", "Digits", "Punctuation", "Split"})
# Characters that may become one by Unicode's composition: a base and three marks (U+1F82).
_MAX_COMPOSED: Final = 4


class PromptLength:
    """The lower bound of the number of tokens in a text, for one tokenizer.

    There are two bounds. No token covers more characters than the longest one of the vocabulary has, so the
    number of characters divided by that length is one; it holds for byte-level BPE, which covers every byte,
    and needs no encoding. The other encodes the text in slices, until there are enough tokens: a slice by
    itself has other tokens than it has within the text, but only around its two ends.
    """

    def __init__(self, backend: Any, vocabulary: Mapping[str, int]) -> None:
        """Find the longest token.

        backend: a tokenizers.Tokenizer without truncation and padding.
        vocabulary: the ids of all tokens by name, added ones included.
        """
        self._backend = backend
        self._longest = max(map(len, vocabulary), default=1)
        self._max_covered = _max_covered(backend, vocabulary, self._longest)

    def at_least(self, text: str, enough: int) -> int:
        """Return a number of tokens that the text has at least; the search ends where it exceeds `enough`.

        0 where the text is so short that encoding it is bounded by `enough` as well.
        """
        if len(text) <= _SLICE + 4 * enough:
            return 0
        if self._max_covered and (num_tokens := len(text) // self._max_covered) > enough:
            return num_tokens
        num_tokens = 0
        for part in _slices(text):
            encoding = self._backend.encode_batch_fast([part], add_special_tokens=False)[0]
            num_tokens += max(len(encoding) - 2 * self._longest, 0)
            if num_tokens > enough:
                break
        return num_tokens

    def tail(self, text: str, num_tokens: int) -> str:
        """Return an end of the text that has its last `num_tokens` tokens.

        Only a text that is encoded byte for byte is cut, at twice the characters that so many tokens can
        cover, so that the tokens at the cut, which may differ from the whole text's, come before those.
        """
        num_characters = max(2 * num_tokens * (self._max_covered or 0), _SLICE)
        if not self._max_covered or len(text) <= num_characters:
            return text
        start = len(text) - num_characters
        space = text.find(" ", start, start + _SLICE // 2)  # few tokens cross the start of a word
        return text[start if space < 0 else space :]


def _slices(text: str) -> Iterator[str]:
    for start in range(0, len(text), _SLICE):
        yield text[start : start + _SLICE]


def _max_covered(backend: Any, vocabulary: Mapping[str, int], longest: int) -> int | None:
    """Return the most characters of a text that one token covers; None if that is not known.

    A token of byte-level BPE is written with a character for each of its bytes. An added token may take all
    the space next to it, and other normalizers than composition may leave out any part of a text.
    """
    strips = any(token.lstrip or token.rstrip for token in backend.get_added_tokens_decoder().values())
    if strips or not isinstance(backend.model, BPE) or not vocabulary.keys() >= set(ByteLevel.alphabet()):
        return None
    steps = list(_steps(_state(backend.pre_tokenizer)))
    keeps = all(step["type"] in _KEEPING and step.get("behavior") != "Removed" for step in steps)
    if not keeps or all(step["type"] != "ByteLevel" for step in steps):
        return None
    normalizer = _state(backend.normalizer)
    if normalizer is None:
        return longest
    return longest * _MAX_COMPOSED if normalizer["type"] == "NFC" else None


def _state(part: Any) -> dict[str, Any] | None:
    """Return the configuration of a part of a tokenizer, in the form of tokenizer.json."""
    found: dict[str, Any] | None = None if part is None else json.loads(part.__getstate__())
    return found


def _steps(pre_tokenizer: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield the pre-tokenizers that a text goes through."""
    if pre_tokenizer is None:
        return
    if pre_tokenizer["type"] != "Sequence":
        yield pre_tokenizer
    for step in pre_tokenizer.get("pretokenizers", ()):
        yield from _steps(step)
