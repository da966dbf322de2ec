"""Prompts that ask a model to fill the gap between two texts (fill in the middle).

A model that can do so was trained on the two texts with tokens of its own around them, and its tokenizer has
these tokens under names that tell which form the model knows (Bavarian et al. 2022, arXiv 2207.14255).
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

import msgspec

from engine.port.text.tokenizer import Tokenizer

NO_INFILL: Final = (
    "This model cannot fill the gap before a 'suffix': its vocabulary has no tokens for fill in the middle."
)


class Gap(Enum):
    """A text next to the gap."""

    BEFORE = "before"
    AFTER = "after"


class InfillForm(msgspec.Struct, frozen=True):
    """A form of prompt.

    pieces: the names of tokens, with the two texts in their places.
    ends: names of tokens that end the text in addition to those of `pieces` and the model's own end tokens; a
        tokenizer need not have them.
    """

    pieces: tuple[str | Gap, ...]
    ends: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The tokens that a tokenizer of this form has."""
        return tuple(piece for piece in self.pieces if isinstance(piece, str))


# The first form whose tokens the tokenizer has is the model's.
INFILL_FORMS: Final = (
    # Qwen2.5-Coder, CodeGemma, Granite since 3.3
    InfillForm(
        ("<|fim_prefix|>", Gap.BEFORE, "<|fim_suffix|>", Gap.AFTER, "<|fim_middle|>"),
        ends=(
            *("<|fim_pad|>", "<|file_sep|>", "<|repo_name|>", "<|file_separator|>"),
            *("<|filename|>", "<|reponame|>", "<|endoftext|>", "<|end_of_text|>"),
        ),
    ),
    # StarCoder, StarCoder2, Granite Code, Stable Code
    InfillForm(
        ("<fim_prefix>", Gap.BEFORE, "<fim_suffix>", Gap.AFTER, "<fim_middle>"),
        ends=("<fim_pad>", "<file_sep>", "<repo_name>", "<filename>", "<reponame>", "<|endoftext|>"),
    ),
    # SantaCoder
    InfillForm(
        ("<fim-prefix>", Gap.BEFORE, "<fim-suffix>", Gap.AFTER, "<fim-middle>"),
        ends=("<fim-pad>", "<|endoftext|>"),
    ),
    # DeepSeek-Coder, whose texts stand around a hole
    InfillForm(
        ("<｜fim▁begin｜>", Gap.BEFORE, "<｜fim▁hole｜>", Gap.AFTER, "<｜fim▁end｜>"),
        ends=("<｜end▁of▁sentence｜>", "<|EOT|>"),
    ),
    # Code Llama
    InfillForm(("▁<PRE>", Gap.BEFORE, "▁<SUF>", Gap.AFTER, "▁<MID>"), ends=("▁<EOT>",)),
    # Codestral and other models of Mistral's: the text after the gap comes first
    InfillForm(("[SUFFIX]", Gap.AFTER, "[PREFIX]", Gap.BEFORE)),
)

# A text with a token of its own, after which SentencePiece puts no space before another.
_SHIELD: Final = "☺"
_SENTENCEPIECE_SPACE: Final = "▁"


class Infill:
    """The prompts of one model that fill a gap. Every method may be called from any thread."""

    def __init__(self, tokenizer: Tokenizer, form: InfillForm, token_ids: dict[str, int]) -> None:
        """Keep a form that the tokenizer knows. token_ids: the form's tokens that it has, by name."""
        self._tokenizer = tokenizer
        self._form = form
        self._token_ids = token_ids
        self._lead = _lead(tokenizer)
        self._puts_space = tokenizer.first_token("\n").startswith(_SENTENCEPIECE_SPACE)

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "Infill | None":
        """Return the prompts of the tokenizer's form; None where its vocabulary has no tokens for it."""
        for form in INFILL_FORMS:
            named = {name: tokenizer.token_id(name) for name in (*form.names, *form.ends)}
            token_ids = {name: token_id for name, token_id in named.items() if token_id is not None}
            if token_ids.keys() >= set(form.names):
                return cls(tokenizer, form, token_ids)
        return None

    @property
    def end_token_ids(self) -> tuple[int, ...]:
        """The tokens that end the text, in addition to the model's own end tokens."""
        return tuple(self._token_ids.values())

    def encode_after(self, text: str) -> tuple[int, ...]:
        """Return the ids of the text after the gap, which does not begin a word unless it says so.

        Raises InvalidRequest for text that has no UTF-8 form.
        """
        if not self._puts_space:
            return tuple(self._tokenizer.encode(text, add_special_tokens=False))
        spans = self._tokenizer.encode_with_offsets(_SHIELD + text, add_special_tokens=False)
        return tuple(span.token_id for span in spans if span.stop > len(_SHIELD))

    def frame(
        self, before: Sequence[int], after: Sequence[int], *, add_special_tokens: bool
    ) -> tuple[int, ...]:
        """Return the prompt made of the ids of both texts.

        before: the tokens that the tokenizer puts before a text go to the front of the prompt if it begins
            with them. add_special_tokens: they are put there in any case.
        """
        has_lead = bool(self._lead) and tuple(before[: len(self._lead)]) == self._lead
        if has_lead:
            before = before[len(self._lead) :]
        texts = {Gap.BEFORE: before, Gap.AFTER: after}
        prompt = list(self._lead) if has_lead or add_special_tokens else []
        for piece in self._form.pieces:
            if isinstance(piece, Gap):
                prompt += texts[piece]
            else:
                prompt.append(self._token_ids[piece])
        return tuple(prompt)


def _lead(tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return the tokens that the tokenizer puts before a text."""
    lead = []
    for span in tokenizer.encode_with_offsets("a"):
        if span.stop > span.start:
            break
        lead.append(span.token_id)
    return tuple(lead)
