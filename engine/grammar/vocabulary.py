"""What a grammar takes the tokens of a vocabulary for: bytes. Imports no torch."""

from functools import cached_property
from typing import Any

import msgspec
import xgrammar


class GrammarVocabulary(msgspec.Struct, frozen=True, dict=True):
    """The tokens of one tokenizer, by id; those that stand for no text, like hidden special ones, are b""."""

    tokens: list[bytes]
    end_token_ids: tuple[int, ...]
    adds_prefix_space: bool

    @cached_property
    def info(self) -> Any:
        """The `xgrammar.TokenizerInfo`; equal in all processes, so that compiled grammars can pass between
        them."""
        return xgrammar.TokenizerInfo(
            self.tokens,
            vocab_type=xgrammar.VocabType.RAW,
            vocab_size=len(self.tokens),
            stop_token_ids=list(self.end_token_ids) or None,
            add_prefix_space=self.adds_prefix_space,
        )

    def compiler(self, num_threads: int) -> Any:
        """An `xgrammar.GrammarCompiler` that caches nothing."""
        return xgrammar.GrammarCompiler(self.info, max_threads=num_threads, cache_enabled=False)
