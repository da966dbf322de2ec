"""Constraints on the generated text: compiled through xgrammar, followed token by token."""

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import xgrammar

from engine.errors import InvalidGrammar
from engine.grammar_state import GrammarState
from engine.grammar_vocabulary import GrammarVocabulary
from engine.json_schema import enforceable_schema
from engine.regex_pattern import check_regex
from engine.request import Grammar, GrammarKind
from engine.structural_tag import enforceable_tag
from engine.tokenizer import Tokenizer

MAX_SOURCE_LENGTH = 262_144  # characters
CACHE_BYTES = 256 * 2**20

_ANY_OBJECT = '{"type": "object"}'
_WHERE_IN_XGRAMMAR = re.compile(r"^(\[[\d:]+\] )?\S+\.(cc|h):\d+: ")


class CompiledGrammar:
    """A grammar made ready for one tokenizer; any number of sequences may follow it at one time."""

    def __init__(self, compiled: Any, end_token_ids: Sequence[int], vocabulary: GrammarVocabulary) -> None:
        self._compiled = compiled
        self._end_token_ids = end_token_ids
        self._vocabulary = vocabulary

    @property
    def num_bytes(self) -> int:
        size: int = self._compiled.memory_size_bytes
        return size

    def start(self, stop_token_ids: Sequence[int] = ()) -> GrammarState:
        """The state of a sequence before its first token.

        stop_token_ids: the request's own, allowed where the text may end, as the model's end tokens are.
        """
        stops = tuple(sorted({*self._end_token_ids, *stop_token_ids}))
        matcher = xgrammar.GrammarMatcher(
            self._compiled, override_stop_tokens=list(stops) or None, terminate_without_stop_token=not stops
        )
        return GrammarState(matcher, stops, self._compiled.tokenizer_info.vocab_size, self._vocabulary)


class GrammarCompiler:
    """Compiles grammars for one tokenizer and keeps those used last, up to CACHE_BYTES. Safe to share by
    threads.

    Bounds keep hostile grammars from taking the process: of the source (here, in `json_schema` and in
    `regex_pattern`), and of the time to compile (in `grammar_queue`).
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._lock = threading.Lock()
        self._cache: OrderedDict[Grammar, CompiledGrammar] = OrderedDict()
        self._num_cached_bytes = 0

    def cached(self, grammar: Grammar) -> CompiledGrammar | None:
        """The grammar if it is compiled already, at once."""
        with self._lock:
            if grammar in self._cache:
                self._cache.move_to_end(grammar)
            return self._cache.get(grammar)

    def compile(self, grammar: Grammar) -> CompiledGrammar:
        """Takes milliseconds to minutes: not for an event loop. Raises InvalidGrammar, naming the cause."""
        if (known := self.cached(grammar)) is not None:
            return known
        if len(grammar.source) > MAX_SOURCE_LENGTH:
            raise InvalidGrammar(
                f"a grammar may have {MAX_SOURCE_LENGTH} characters; this one has {len(grammar.source)}"
            )
        try:
            made = self._compile(grammar.kind, _enforceable(grammar))
        except (RuntimeError, ValueError, TypeError) as error:
            # What xgrammar says of a grammar that it cannot read, after the line of its own source that says
            # it.
            raise InvalidGrammar(_WHERE_IN_XGRAMMAR.sub("", str(error)).strip()) from error
        compiled = CompiledGrammar(made, self._end_token_ids, self._vocabulary)
        self._keep(grammar, compiled)
        return compiled

    def _keep(self, grammar: Grammar, compiled: CompiledGrammar) -> None:
        with self._lock:
            if grammar not in self._cache:
                self._cache[grammar] = compiled
                self._num_cached_bytes += compiled.num_bytes
            while self._num_cached_bytes > CACHE_BYTES:
                _, oldest = self._cache.popitem(last=False)
                self._num_cached_bytes -= oldest.num_bytes

    def _compile(self, kind: GrammarKind, source: str) -> Any:
        match kind:
            case GrammarKind.JSON_SCHEMA | GrammarKind.JSON_OBJECT:
                # The layout of `json_layout`, which says why.
                return self._text_compiler.compile_json_schema(source, any_whitespace=False)
            case GrammarKind.REGEX:
                return self._text_compiler.compile_regex(source)
            case GrammarKind.EBNF:
                return self._text_compiler.compile_grammar(source)
            case GrammarKind.STRUCTURAL_TAG:
                return self._tag_compiler.compile_structural_tag(source)

    @property
    def _end_token_ids(self) -> tuple[int, ...]:
        return self._tokenizer.end_token_ids

    @cached_property
    def _vocabulary(self) -> GrammarVocabulary:
        return GrammarVocabulary(self._text_tokens.decoded_vocab)

    @cached_property
    def _text_tokens(self) -> xgrammar.TokenizerInfo:
        return self._token_info(hides_special=True)

    @cached_property
    def _text_compiler(self) -> xgrammar.GrammarCompiler:
        """Takes special tokens for no text, so that none can stand inside a string."""
        return self._compiler(self._text_tokens)

    @cached_property
    def _tag_compiler(self) -> xgrammar.GrammarCompiler:
        """Knows special tokens by their text: structural tags may name them, and the text between may hold
        them."""
        return self._compiler(self._token_info(hides_special=False))

    def _compiler(self, info: xgrammar.TokenizerInfo) -> xgrammar.GrammarCompiler:
        return xgrammar.GrammarCompiler(
            info, max_threads=min(8, max(1, (os.cpu_count() or 1) // 2)), cache_enabled=False
        )

    def _token_info(self, *, hides_special: bool) -> xgrammar.TokenizerInfo:
        tokenizer = self._tokenizer
        found = xgrammar.TokenizerInfo.from_huggingface(
            tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=list(self._end_token_ids) or None
        )
        vocabulary = [""] * tokenizer.vocab_size  # "" is a token that never matches
        for token, token_id in tokenizer.hf.get_vocab().items():
            if token_id < len(vocabulary) and not (hides_special and tokenizer.is_special(token_id)):
                vocabulary[token_id] = token
        return xgrammar.TokenizerInfo(
            vocabulary,
            vocab_type=found.vocab_type,
            vocab_size=tokenizer.vocab_size,
            stop_token_ids=list(self._end_token_ids) or None,
            add_prefix_space=found.add_prefix_space,
        )


def _enforceable(grammar: Grammar) -> str:
    """The source, checked against all that xgrammar would not honour. EBNF it checks itself."""
    match grammar.kind:
        case GrammarKind.JSON_SCHEMA:
            return enforceable_schema(grammar.source)
        case GrammarKind.JSON_OBJECT:
            return _ANY_OBJECT
        case GrammarKind.REGEX:
            check_regex(grammar.source)
        case GrammarKind.STRUCTURAL_TAG:
            return enforceable_tag(grammar.source)
    return grammar.source
