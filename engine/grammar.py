"""Constraints on the generated text, through xgrammar."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import xgrammar
from torch import Tensor

from engine.bounded_strings import with_json_strings
from engine.errors import GenerationFailed, InvalidGrammar
from engine.request import Grammar, GrammarKind
from engine.tokenizer import Tokenizer


class GrammarState:
    """How far one sequence has come in its grammar."""

    def __init__(self, matcher: Any) -> None:
        self._matcher = matcher

    def accept(self, token_id: int) -> None:
        if not self._matcher.is_terminated() and not self._matcher.accept_token(token_id):
            raise GenerationFailed(f"the grammar does not allow token {token_id}")

    def fill(self, bitmask: Tensor, row: int) -> bool:
        filled: bool = self._matcher.fill_next_token_bitmask(bitmask, row)
        return filled


class CompiledGrammar:
    """A grammar made ready for one tokenizer."""

    def __init__(self, compiled: Any, end_token_ids: Sequence[int]) -> None:
        self._compiled = compiled
        self._end_token_ids = end_token_ids

    def start(self, stop_token_ids: Sequence[int]) -> GrammarState:
        stops = sorted({*self._end_token_ids, *stop_token_ids})
        return GrammarState(xgrammar.GrammarMatcher(self._compiled, override_stop_tokens=stops))


class GrammarMask:
    def __init__(self, num_rows: int, vocab_size: int) -> None:
        self._vocab_size = vocab_size
        self._bitmask = xgrammar.allocate_token_bitmask(num_rows, vocab_size)

    def fill(self, row: int, state: GrammarState) -> bool:
        return state.fill(self._bitmask, row)

    def apply(self, row: int, logits: Tensor) -> None:
        bits = np.unpackbits(self._bitmask[row].numpy().view(np.uint8), bitorder="little")[: self._vocab_size]
        logits.masked_fill_(torch.from_numpy(bits).to(logits.device) == 0, -torch.inf)


class GrammarCompiler:
    """Compiles grammars and keeps the last ones."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._end_token_ids = tokenizer.end_token_ids
        info = xgrammar.TokenizerInfo.from_huggingface(
            tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=list(tokenizer.end_token_ids)
        )
        self._compiler = xgrammar.GrammarCompiler(info, max_threads=1)

    def compile(self, grammar: Grammar) -> CompiledGrammar:
        """Raises InvalidGrammar."""
        try:
            return CompiledGrammar(self._compile(grammar), self._end_token_ids)
        except RuntimeError as error:
            raise InvalidGrammar(str(error)) from error

    def _compile(self, grammar: Grammar) -> Any:
        match grammar.kind:
            case GrammarKind.JSON_SCHEMA:
                schema = xgrammar.Grammar.from_json_schema(grammar.source, any_whitespace=False)
                return self._compiler.compile_grammar(with_json_strings(schema))
            case GrammarKind.JSON_OBJECT:
                # xgrammar's built-in JSON grammar takes arrays too.
                return self._compiler.compile_json_schema('{"type": "object"}', any_whitespace=False)
            case GrammarKind.REGEX:
                return self._compiler.compile_regex(grammar.source)
            case GrammarKind.EBNF:
                return self._compiler.compile_grammar(grammar.source)
            case GrammarKind.STRUCTURAL_TAG:
                structure = xgrammar.Grammar.from_structural_tag(grammar.source)
                return self._compiler.compile_grammar(with_json_strings(structure))
