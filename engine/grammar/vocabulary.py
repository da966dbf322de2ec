"""The tokens of a vocabulary as the bytes that a grammar reads. Imports no torch."""

from functools import cached_property
from typing import Any

import msgspec
import xgrammar

from engine.grammar.run_time.string_lengths import StringTokens
from engine.grammar.run_time.unique_items import TokenIndex


class GrammarVocabulary(msgspec.Struct, frozen=True, dict=True):
    """The tokens of one tokenizer, by id; a token without text, such as a hidden special one, is b""."""

    tokens: list[bytes]
    end_token_ids: tuple[int, ...]
    adds_prefix_space: bool

    @cached_property
    def info(self) -> Any:
        """The `xgrammar.TokenizerInfo`, equal in all processes, so that compiled grammars can pass between
        them."""
        return xgrammar.TokenizerInfo(
            self.tokens,
            vocab_type=xgrammar.VocabType.RAW,
            vocab_size=len(self.tokens),
            stop_token_ids=list(self.end_token_ids) or None,
            add_prefix_space=self.adds_prefix_space,
        )

    @cached_property
    def index(self) -> TokenIndex:
        """The tokens in the order of their bytes."""
        return TokenIndex(self.tokens)

    @cached_property
    def strings(self) -> StringTokens:
        """The tokens as parts of JSON strings."""
        return StringTokens(self.tokens)

    def compiler(self, num_threads: int) -> Any:
        """Return an `xgrammar.GrammarCompiler` that caches nothing."""
        return xgrammar.GrammarCompiler(self.info, max_threads=num_threads, cache_enabled=False)
