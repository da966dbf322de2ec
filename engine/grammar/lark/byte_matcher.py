"""Texts that are followed byte by byte in a grammar, whatever the model's vocabulary is."""

from functools import cache
from typing import Final

from llguidance import LLMatcher, LLParserLimits, LLTokenizer
from llguidance._tokenizer import TokenizerWrapper

from engine.port.errors import InvalidGrammar

_END: Final = 256


class ByteMatcher:
    """The state of one text in a grammar, of which each byte is a token."""

    def __init__(self, grammar: str) -> None:
        """Begin at the start of the text. Raises InvalidGrammar for a grammar that llguidance refuses.

        grammar: in Lark.
        """
        self._matcher = LLMatcher(
            _tokenizer(),
            LLMatcher.grammar_from_lark(grammar),
            log_level=0,
            limits=LLParserLimits(precompute_large_lexemes=False, verbose_errors=False),
        )
        if self._matcher.is_error():
            raise InvalidGrammar(self._matcher.get_error())

    def follow(self, text: bytes) -> bool:
        """Follow the bytes as far as they are allowed; return whether all are."""
        return self._matcher.try_consume_tokens(list(text)) == len(text)

    def rollback(self, num_bytes: int) -> None:
        """Go back by so many bytes."""
        self._matcher.rollback(num_bytes)

    def can_read(self, text: bytes) -> bool:
        """Return whether the bytes may come next."""
        return self._matcher.validate_tokens(list(text)) == len(text)

    def next_bytes(self) -> set[int]:
        """Return the bytes that may come next."""
        mask = int.from_bytes(self._matcher.compute_bitmask(), "little")
        return {byte for byte in range(_END) if mask >> byte & 1}

    @property
    def is_whole(self) -> bool:
        """True if the text may end here."""
        return self._matcher.is_accepting()

    def copy(self) -> "ByteMatcher":
        """Return another state at the same place."""
        other = object.__new__(ByteMatcher)
        other._matcher = self._matcher.deep_copy()
        return other

    def restart(self) -> None:
        """Go back to the start of the text."""
        self._matcher.reset()


class _Bytes:
    """A vocabulary of the 256 bytes and an end."""

    eos_token_id: Final = _END
    bos_token_id: Final = None
    special_token_ids: Final = [_END]
    tokens: Final = [*(bytes([byte]) for byte in range(_END)), b"<end>"]

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


@cache
def _tokenizer() -> LLTokenizer:
    return LLTokenizer(TokenizerWrapper(_Bytes()), slices=[])
