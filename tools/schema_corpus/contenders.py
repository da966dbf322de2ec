"""The libraries that are compared: each compiles a schema, and says which tokens may come next."""

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import xgrammar
from typing_extensions import override

from engine.grammar.compiler import CompiledGrammar, GrammarCompiler
from engine.grammar.matcher import GrammarMatcher
from engine.port.request import Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer

Bits = npt.NDArray[np.bool_]


class Follower(ABC):
    """The state of one text in a compiled schema."""

    @abstractmethod
    def allowed(self) -> Bits:
        """Return which tokens may come next, a boolean each."""

    @abstractmethod
    def accept(self, token_id: int) -> None:
        """Follow an allowed token."""


Start = Callable[[], Follower]


class Verbatim:
    """This repository's grammars."""

    name = "Verbatim"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._compiler = GrammarCompiler(tokenizer)

    def compile(self, schema: Any) -> Start:
        grammar = self._compiler.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema)))
        return lambda: _VerbatimFollower(grammar, self._tokenizer.vocab_size)


class _VerbatimFollower(Follower):
    def __init__(self, grammar: CompiledGrammar, vocab_size: int) -> None:
        self._state: GrammarMatcher = grammar.start()
        self._size = vocab_size

    @override
    def allowed(self) -> Bits:
        return _bits(self._state.mask.numpy(), self._size)

    @override
    def accept(self, token_id: int) -> None:
        self._state.accept(token_id)


class Xgrammar:
    """xgrammar alone, as its documentation shows it."""

    name = "xgrammar"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._size = tokenizer.vocab_size
        info = xgrammar.TokenizerInfo.from_huggingface(
            tokenizer.hf, vocab_size=self._size, stop_token_ids=list(tokenizer.end_token_ids)
        )
        self._compiler = xgrammar.GrammarCompiler(info, cache_enabled=False, max_threads=1)

    def compile(self, schema: Any) -> Start:
        compiled = self._compiler.compile_json_schema(json.dumps(schema))
        return lambda: _XgrammarFollower(compiled, self._size)


class _XgrammarFollower(Follower):
    def __init__(self, compiled: Any, vocab_size: int) -> None:
        self._matcher = xgrammar.GrammarMatcher(compiled)
        self._size = vocab_size
        self._mask = np.full((1, -(-vocab_size // 32)), -1, np.int32)

    @override
    def allowed(self) -> Bits:
        self._mask.fill(-1)
        self._matcher.fill_next_token_bitmask(self._mask)
        return _bits(self._mask[0], self._size)

    @override
    def accept(self, token_id: int) -> None:
        self._matcher.accept_token(token_id)


class Llguidance:
    """llguidance, as its documentation shows it."""

    name = "llguidance"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._library = importlib.import_module("llguidance")
        factory = importlib.import_module("llguidance.hf")
        self._size = tokenizer.vocab_size
        ends = list(tokenizer.end_token_ids)
        self._tokenizer = factory.from_tokenizer(tokenizer.hf, n_vocab=self._size, eos_token=ends)

    def compile(self, schema: Any) -> Start:
        matcher = self._library.LLMatcher
        grammar = matcher.grammar_from_json_schema(json.dumps(schema))

        def start() -> Follower:
            state = matcher(self._tokenizer, grammar)
            if state.is_error():
                raise ValueError(state.get_error())
            return _LlguidanceFollower(state, self._size)

        start()
        return start


class _LlguidanceFollower(Follower):
    def __init__(self, matcher: Any, vocab_size: int) -> None:
        self._matcher = matcher
        self._size = vocab_size

    @override
    def allowed(self) -> Bits:
        return _bits(np.frombuffer(self._matcher.compute_bitmask(), np.int32), self._size)

    @override
    def accept(self, token_id: int) -> None:
        self._matcher.consume_token(token_id)


def _bits(words: "npt.NDArray[np.int32]", size: int) -> Bits:
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:size].astype(bool)
