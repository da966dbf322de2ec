"""The words of a transcript, as runs of its tokens; pure."""

import unicodedata
from codecs import getincrementaldecoder
from collections.abc import Sequence
from typing import Final, NamedTuple

# Languages that put no blanks between words: each character or token of several is a word.
_WITHOUT_BLANKS: Final = frozenset({"zh", "ja", "th", "lo", "my", "yue"})
_OPENING: Final = ("Ps", "Pi")  # categories of Unicode


class WordTokens(NamedTuple):
    """A word that the tokens `first` to `end` spell. text: with blanks and marks around it."""

    text: str
    first: int
    end: int


def split_words(token_bytes: Sequence[bytes], language: str) -> list[WordTokens]:
    """Return the words of a text. token_bytes: what each token adds to it. language: its code.

    A word begins with a blank, or anywhere in languages without blanks. Marks without letters or digits
    belong to the word before them, and opening ones to the word after.
    """
    words: list[WordTokens] = []
    for piece in _characters(token_bytes):
        is_start = language in _WITHOUT_BLANKS or piece.text[:1].isspace()
        if words and not is_start:
            words[-1] = _joined(words[-1], piece)
        else:
            words.append(piece)
    return _with_marks(words)


def _characters(token_bytes: Sequence[bytes]) -> list[WordTokens]:
    """Return the shortest runs of tokens that hold whole characters."""
    decoder = getincrementaldecoder("utf-8")(errors="replace")
    pieces: list[WordTokens] = []
    first, text = 0, ""
    for place, data in enumerate(token_bytes):
        is_last = place == len(token_bytes) - 1
        text += decoder.decode(data, final=is_last)
        is_whole = not decoder.getstate()[0]
        if is_whole or is_last:
            pieces.append(WordTokens(text, first, place + 1))
            first, text = place + 1, ""
    return pieces


def _with_marks(words: Sequence[WordTokens]) -> list[WordTokens]:
    """Return the words with the marks next to them."""
    joined: list[WordTokens] = []
    opening: WordTokens | None = None
    for word in words:
        if opening is not None:
            word, opening = _joined(opening, word), None
        if any(character.isalnum() for character in word.text):
            joined.append(word)
        elif unicodedata.category(word.text.strip()[-1:] or " ") in _OPENING:
            opening = word
        elif joined:
            joined[-1] = _joined(joined[-1], word)
        else:
            joined.append(word)
    return joined if opening is None else [*joined, opening]


def _joined(left: WordTokens, right: WordTokens) -> WordTokens:
    return WordTokens(left.text + right.text, left.first, right.end)
