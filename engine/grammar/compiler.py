"""The compiler of constraints on the generated text, through xgrammar."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import xgrammar

from engine.grammar.matcher import GrammarMatcher
from engine.grammar.process.client import GrammarProcess
from engine.grammar.run_time.rules import CompiledRules, RunTimeRules
from engine.grammar.source import check_length, checked_source, compile_source
from engine.grammar.vocabulary import GrammarVocabulary
from engine.host.machine import num_processors
from engine.port.attempt import Attempt
from engine.port.request import Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer

CACHE_BYTES = 256 * 2**20


class CompiledGrammar:
    """A grammar compiled for one tokenizer; any number of sequences may follow it at the same time."""

    def __init__(
        self,
        compiled: Any,
        vocabulary: GrammarVocabulary,
        rules: RunTimeRules,
    ) -> None:
        self._compiled = compiled
        self._vocabulary = vocabulary
        self._rules = CompiledRules(rules, lambda: vocabulary.index, lambda: vocabulary.strings)

    @property
    def num_bytes(self) -> int:
        size: int = self._compiled.memory_size_bytes
        return size

    def start(self, stop_token_ids: Sequence[int] = ()) -> GrammarMatcher:
        """Return the state of a sequence before its first token.

        stop_token_ids: the request's own, allowed where the text may end, as the model's end tokens are.
        """
        stops = tuple(sorted({*self._vocabulary.end_token_ids, *stop_token_ids}))
        matcher = xgrammar.GrammarMatcher(
            self._compiled, override_stop_tokens=list(stops) or None, terminate_without_stop_token=not stops
        )
        tokens = self._vocabulary.tokens
        return GrammarMatcher(matcher, stops, len(tokens), tokens, self._rules.followers())


class GrammarCompiler:
    """The compiler and cache of grammars for one tokenizer. It keeps those used last, up to CACHE_BYTES, and
    may be shared by threads.

    A grammar is compiled in `process` first, where its time and memory are bounded. If it passes there, its
    compiled form is taken over, or compiled again here where that is quicker, in about the time that it took
    there. process: None where grammars are trusted, as in tests, or where the system cannot fork.
    """

    def __init__(self, tokenizer: Tokenizer, process: GrammarProcess | None = None) -> None:
        self._tokenizer = tokenizer
        self._process = process
        self._lock = threading.Lock()
        self._vocabularies_lock = threading.Lock()
        self._cache: OrderedDict[Grammar, CompiledGrammar] = OrderedDict()
        self._num_cached_bytes = 0

    def cached(self, grammar: Grammar) -> CompiledGrammar | None:
        """Return the grammar at once if it is in the cache, else None."""
        with self._lock:
            if grammar in self._cache:
                self._cache.move_to_end(grammar)
            return self._cache.get(grammar)

    def compile(self, grammar: Grammar, attempt: Attempt | None = None) -> CompiledGrammar:
        """Return the compiled grammar. Takes milliseconds to seconds: call it outside the event loop.

        Raises InvalidGrammar, naming the cause; EngineBusy. attempt: the caller's handle to cancel it.
        """
        if (known := self.cached(grammar)) is not None:
            return known
        check_length(grammar)
        compiled = (
            self._compile(grammar)
            if self._process is None
            else self._take_over(grammar, attempt or Attempt())
        )
        self._keep(grammar, compiled)
        return compiled

    def _compile(self, grammar: Grammar) -> CompiledGrammar:
        source = checked_source(grammar)
        made = compile_source(self._compiler(grammar.kind), grammar.kind, source.text)
        return CompiledGrammar(made, self._vocabulary(grammar.kind), source.rules)

    def _take_over(self, grammar: Grammar, attempt: Attempt) -> CompiledGrammar:
        assert self._process is not None
        vocabulary = self._vocabulary(grammar.kind)
        verdict = self._process.try_grammar(grammar, vocabulary, attempt, num_threads=_num_threads())
        if verdict.compiled is not None:
            made = xgrammar.CompiledGrammar.deserialize_json(verdict.compiled, vocabulary.info)
        else:
            made = compile_source(self._compiler(grammar.kind), grammar.kind, verdict.source)
        return CompiledGrammar(made, vocabulary, verdict.rules)

    def _keep(self, grammar: Grammar, compiled: CompiledGrammar) -> None:
        with self._lock:
            if grammar not in self._cache:
                self._cache[grammar] = compiled
                self._num_cached_bytes += compiled.num_bytes
            while self._num_cached_bytes > CACHE_BYTES:
                _, oldest = self._cache.popitem(last=False)
                self._num_cached_bytes -= oldest.num_bytes

    def _vocabulary(self, kind: GrammarKind) -> GrammarVocabulary:
        with self._vocabularies_lock:  # they take a second where the vocabulary is large
            return self._tag_vocabulary if kind is GrammarKind.STRUCTURAL_TAG else self._text_vocabulary

    def _compiler(self, kind: GrammarKind) -> Any:
        return self._vocabulary(kind).compiler(_num_threads())

    @cached_property
    def _text_vocabulary(self) -> GrammarVocabulary:
        """The vocabulary in which special tokens have no text, so that none can stand inside a string."""
        return self._make_vocabulary(hides_special=True)

    @cached_property
    def _tag_vocabulary(self) -> GrammarVocabulary:
        """The vocabulary in which special tokens have their text: structural tags may name them, and the text
        between may have them."""
        return self._make_vocabulary(hides_special=False)

    def _make_vocabulary(self, *, hides_special: bool) -> GrammarVocabulary:
        tokenizer = self._tokenizer
        end_token_ids = tokenizer.end_token_ids
        # Without a stop token it warns; which they are has nothing to do with what is read here.
        found = xgrammar.TokenizerInfo.from_huggingface(
            tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=list(end_token_ids) or [0]
        )
        tokens = [""] * tokenizer.vocab_size  # "" is a token that never matches
        for token, token_id in tokenizer.hf.get_vocab().items():
            if token_id < len(tokens) and not (hides_special and tokenizer.is_special(token_id)):
                tokens[token_id] = token
        info = xgrammar.TokenizerInfo(
            tokens,
            vocab_type=found.vocab_type,
            vocab_size=tokenizer.vocab_size,
            stop_token_ids=list(end_token_ids) or None,
            add_prefix_space=found.add_prefix_space,
        )
        return GrammarVocabulary(
            [bytes(token) for token in info.decoded_vocab], end_token_ids, found.add_prefix_space
        )


def _num_threads() -> int:
    return min(8, max(1, num_processors() // 2))
