"""The labels of options, and the tokens that a model writes them with."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from string import ascii_uppercase, digits
from typing import Final, TypeAlias

from engine.port.text.tokenizer import Tokenizer
from handlers.decisions.question import NO, YES, QuestionKind
from verbatim_kit.errors import Refused, Violation

Spellings: TypeAlias = tuple[tuple[int, ...], ...]
"""The token sequences of one label."""

_PAIRS: Final = tuple(map("".join, product(ascii_uppercase, repeat=2)))
_TAIL: Final = 8  # tokens of a prompt that labels are encoded after
_MAX_REMEMBERED: Final = 4096


class IndistinctLabels(Refused):
    """The tokenizer writes two labels with the same tokens."""

    def __init__(self) -> None:
        message = "The model's tokenizer has no labels that it tells apart, so the model answers no questions"
        super().__init__(message, "model", Violation.UNSUPPORTED_VALUE)


class Labels:
    """The labels for one model. Any thread may call it.

    No label begins with another one, so the token sequences of different labels never do either.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._spell = lru_cache(_MAX_REMEMBERED)(self._spellings)

    def texts(self, kind: QuestionKind, num_options: int) -> Sequence[str]:
        """Return the labels of a question's options.

        They are Yes and No, a digit for each of up to ten levels, or letters; more options than letters have
        pairs of letters, first those that are one token.
        """
        if kind is QuestionKind.PREDICATE:
            return (YES, NO)
        if kind is QuestionKind.SCORE and num_options <= len(digits):
            return digits[:num_options]
        if num_options <= len(ascii_uppercase):
            return ascii_uppercase[:num_options]
        single = [pair for pair in _PAIRS if self._tokenizer.token_id(pair) is not None]
        return list(dict.fromkeys([*single, *_PAIRS]))[:num_options]

    def spellings(self, labels: Sequence[str], prompt_token_ids: Sequence[int]) -> list[Spellings]:
        """Return the token sequences of each label after a prompt.

        A label is spelled as it is, and also after a blank, where that is one token: some models begin
        answers so. Raises IndistinctLabels.
        """
        tail = tuple(prompt_token_ids[-_TAIL:])
        found = [self._spell(tail, label) for label in labels]
        sequences = [sequence for spellings in found for sequence in spellings]
        if len(set(sequences)) < len(sequences):
            raise IndistinctLabels
        return found

    def _spellings(self, tail: tuple[int, ...], label: str) -> Spellings:
        plain, spaced = self._encode_after(tail, label), self._encode_after(tail, f" {label}")
        return (plain, spaced) if len(spaced) == 1 and spaced != plain else (plain,)

    def _encode_after(self, tail: tuple[int, ...], text: str) -> tuple[int, ...]:
        """Return the tokens of a text where it follows others, without changing these."""
        encode = self._tokenizer.encode
        context = self._tokenizer.decode(tail, skip_special_tokens=False)
        before = encode(context, add_special_tokens=False)
        whole = encode(context + text, add_special_tokens=False)
        if whole[: len(before)] == before and len(whole) > len(before):
            return tuple(whole[len(before) :])
        return tuple(encode(text, add_special_tokens=False))
