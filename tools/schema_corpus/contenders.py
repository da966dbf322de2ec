"""The libraries that are compared: each compiles a schema, and says which tokens may come next."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import llguidance
import llguidance.hf
import numpy as np
import numpy.typing as npt
import xgrammar

from engine.grammar.compiler import GrammarCompiler
from engine.port.request import Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer

Words = npt.NDArray[np.int32]


class Follower(NamedTuple):
    """The state of one text in a compiled schema.

    mask: returns which tokens may come next, a bit each, until the next call. accept: follows such a token.
    """

    mask: Callable[[], Words]
    accept: Callable[[int], object]


Start = Callable[[], Follower]


class Verbatim:
    """This repository's grammars."""

    name = "Verbatim"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._compiler = GrammarCompiler(tokenizer)
        self._compiler.prepare()

    def compile(self, schema: Any) -> Start:
        grammar = self._compiler.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema)))

        def start() -> Follower:
            state = grammar.start()

            def mask() -> Words:
                words: Words = state.mask.numpy()
                return np.zeros_like(words) if state.is_too_slow else words

            return Follower(mask, state.accept)

        return start


class Xgrammar:
    """xgrammar alone, as its documentation shows it."""

    name = "xgrammar"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._num_words = -(-tokenizer.vocab_size // 32)
        hf: Any = tokenizer.hf
        info = xgrammar.TokenizerInfo.from_huggingface(
            hf, vocab_size=tokenizer.vocab_size, stop_token_ids=list(tokenizer.end_token_ids)
        )
        self._compiler = xgrammar.GrammarCompiler(info, cache_enabled=False, max_threads=1)

    def compile(self, schema: Any) -> Start:
        compiled = self._compiler.compile_json_schema(json.dumps(schema))

        def start() -> Follower:
            matcher = xgrammar.GrammarMatcher(compiled)
            rows = np.empty((1, self._num_words), np.int32)

            def mask() -> Words:
                rows.fill(-1)
                matcher.fill_next_token_bitmask(rows)
                words: Words = rows[0]
                return words

            return Follower(mask, matcher.accept_token)

        return start


class Llguidance:
    """llguidance alone, as its documentation shows it."""

    name = "llguidance"

    def __init__(self, tokenizer: Tokenizer) -> None:
        hf: Any = tokenizer.hf
        self._tokenizer = llguidance.hf.from_tokenizer(
            hf, n_vocab=tokenizer.vocab_size, eos_token=list(tokenizer.end_token_ids)
        )

    def compile(self, schema: Any) -> Start:
        grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema))
        first = llguidance.LLMatcher(self._tokenizer, grammar, log_level=0)
        if first.is_error():
            raise ValueError(first.get_error())

        def start() -> Follower:
            matcher = first.deep_copy()
            return Follower(lambda: np.frombuffer(matcher.compute_bitmask(), np.int32), matcher.consume_token)

        return start
