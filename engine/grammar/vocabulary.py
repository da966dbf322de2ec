"""The tokens of a vocabulary as the bytes that a grammar reads. Imports no torch."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import llguidance
import msgspec
import xgrammar

from engine.grammar.run_time.unique_items import TokenIndex


class GrammarVocabulary(msgspec.Struct, frozen=True, dict=True):
    """The tokens of one tokenizer.

    tokens: the bytes of each id; b"" for one without text, such as a hidden special token. The last has no
    text, and no model draws it: it is the end of a text to llguidance.
    """

    tokens: list[bytes]
    end_token_ids: tuple[int, ...]

    @cached_property
    def info(self) -> Any:
        """The `xgrammar.TokenizerInfo`, equal in all processes, so that compiled grammars can pass between
        them."""
        return xgrammar.TokenizerInfo(
            self.tokens,
            vocab_type=xgrammar.VocabType.RAW,
            vocab_size=len(self.tokens),
            stop_token_ids=[len(self.tokens) - 1],
        )

    @cached_property
    def index(self) -> TokenIndex:
        """The tokens in the order of their bytes."""
        return TokenIndex(self.tokens)

    @cached_property
    def trie(self) -> llguidance.LLTokenizer:
        """The tokens as llguidance reads them. For 150,000 it takes half a second, in which no other thread
        runs Python."""
        return _trie(self.tokens)

    def compiler(self, num_threads: int) -> Any:
        """Return an `xgrammar.GrammarCompiler` that caches nothing."""
        return xgrammar.GrammarCompiler(self.info, max_threads=num_threads, cache_enabled=False)


MAX_TOKEN_BYTES: Final = 1024
"""The longest token of llguidance's trie, which panics at a longer one."""

# Tokens that llguidance allows or excludes together where it can. These may stand within `<tag>` or `[TAG]`.
_SLICES: Final = [rf'[^"\\\x00-\x1F\x7F<>\[\]]{{1,{length}}}' for length in (10, 30)]


class _Tokens:
    """The tokens in the form in which llguidance takes them.

    Those longer than MAX_TOKEN_BYTES have no text there, so that no grammar allows them: shorter ones can
    write the same.
    """

    is_tokenizer_wrapper = True
    bos_token_id = None
    special_token_ids = ()

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self.tokens = [token if len(token) <= MAX_TOKEN_BYTES else b"" for token in tokens]
        self.eos_token_id = len(tokens) - 1

    def __call__(self, text: str) -> list[int]:
        """Raise NotImplementedError: texts are encoded only to force tokens, which no grammar here does."""
        raise NotImplementedError


def _trie(tokens: Sequence[bytes]) -> llguidance.LLTokenizer:
    as_wrapper: Callable[..., Any] = llguidance.LLTokenizer
    slices = [*_SLICES, *llguidance.LLTokenizer.json_slices()]
    made: llguidance.LLTokenizer = as_wrapper(_Tokens(tokens), slices=slices)
    return made
