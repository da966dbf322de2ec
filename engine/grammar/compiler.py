"""The compiler of constraints on the generated text."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final

import xgrammar

from engine.grammar.ebnf.matcher import EbnfMatcher
from engine.grammar.ebnf.process.client import GrammarProcess
from engine.grammar.ebnf.source import checked_source, compile_source
from engine.grammar.lark.matcher import LarkMatcher, compile_lark
from engine.grammar.lark_source import LarkSource, lark_source
from engine.grammar.matcher import GrammarMatcher, TextMatcher
from engine.grammar.run_time.ruled_matcher import RuledMatcher
from engine.grammar.run_time.unique_items import UniqueItems
from engine.grammar.vocabulary import GrammarVocabulary
from engine.host.machine import num_processors
from engine.port.attempt import Attempt
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from engine.port.text.tokenizer import Tokenizer

CACHE_BYTES: Final = 256 * 2**20
MAX_SOURCE_LENGTH: Final = 262_144  # characters
_BYTES_A_CHARACTER: Final = 100  # of a grammar of llguidance's, at most; 20 were measured


class CompiledGrammar:
    """A grammar compiled for one tokenizer; any number of sequences may follow it at the same time.

    num_bytes: about its size in memory. is_spent: whether it has exceeded its limits, so that no other
    sequence can follow it.
    """

    def __init__(
        self,
        vocabulary: GrammarVocabulary,
        num_bytes: int,
        new_matcher: Callable[["CompiledGrammar"], TextMatcher],
    ) -> None:
        self._vocabulary = vocabulary
        self.num_bytes = num_bytes
        self._new_matcher = new_matcher
        self.is_spent = False

    def start(self, stop_token_ids: Sequence[int] = ()) -> GrammarMatcher:
        """Return the state of a sequence before its first token.

        stop_token_ids: the request's own, allowed where the text may end, as the model's end tokens are.
        """
        stops = tuple(sorted({*self._vocabulary.end_token_ids, *stop_token_ids}))
        return GrammarMatcher(self._new_matcher(self), stops, len(self._vocabulary.tokens))

    def spend(self) -> None:
        """Mark the grammar as spent."""
        self.is_spent = True


class GrammarCompiler:
    """The compiler and cache of grammars for one tokenizer. It keeps those used last, up to CACHE_BYTES, and
    may be shared by threads.

    What llguidance reads compiles here, within its own limits. What xgrammar reads is compiled in `process`
    first, where its time and memory are bounded. If it passes there, its compiled form is taken over, or
    compiled again here where that is quicker, in about the time that it took there. process: None where
    grammars are trusted, as in tests, or where the system cannot fork.
    """

    def __init__(self, tokenizer: Tokenizer, process: GrammarProcess | None = None) -> None:
        self._tokenizer = tokenizer
        self._process = process
        self._lock = threading.Lock()
        self._vocabularies_lock = threading.Lock()
        self._vocabularies: list[GrammarVocabulary] = []
        self._cache: OrderedDict[Grammar, CompiledGrammar] = OrderedDict()
        self._num_cached_bytes = 0

    def prepare(self) -> None:
        """Make what all grammars need; without this the first takes a second more where the vocabulary is
        large."""
        for kind in (GrammarKind.JSON_SCHEMA, GrammarKind.STRUCTURAL_TAG):
            self._vocabulary(kind)

    def cached(self, grammar: Grammar) -> CompiledGrammar | None:
        """Return the grammar at once if it is in the cache, else None."""
        with self._lock:
            known = self._cache.get(grammar)
            if known is not None and known.is_spent:
                self._num_cached_bytes -= known.num_bytes
                del self._cache[grammar]
                return None
            if known is not None:
                self._cache.move_to_end(grammar)
            return known

    def compile(self, grammar: Grammar, attempt: Attempt | None = None) -> CompiledGrammar:
        """Return the compiled grammar. Takes milliseconds to seconds: call it outside the event loop.

        Raises InvalidGrammar, naming the cause; EngineBusy. attempt: the caller's handle to cancel it.
        """
        if (known := self.cached(grammar)) is not None:
            return known
        if len(grammar.source) > MAX_SOURCE_LENGTH:
            raise InvalidGrammar(
                f"a grammar may have {MAX_SOURCE_LENGTH} characters; this one has {len(grammar.source)}"
            )
        vocabulary = self._vocabulary(grammar.kind)
        source = lark_source(grammar, self._tokenizer.token_id)
        if source is not None:
            compiled = _compiled_lark(source, vocabulary)
        else:
            compiled = self._compiled_ebnf(grammar, vocabulary, attempt or Attempt())
        self._keep(grammar, compiled)
        return compiled

    def _compiled_ebnf(
        self, grammar: Grammar, vocabulary: GrammarVocabulary, attempt: Attempt
    ) -> CompiledGrammar:
        made = self._made_by_xgrammar(grammar, vocabulary, attempt)
        return CompiledGrammar(
            vocabulary, made.memory_size_bytes, lambda _: EbnfMatcher(made, vocabulary.tokens)
        )

    def _made_by_xgrammar(self, grammar: Grammar, vocabulary: GrammarVocabulary, attempt: Attempt) -> Any:
        if self._process is None:
            source = checked_source(grammar)
        else:
            verdict = self._process.try_grammar(grammar, vocabulary, attempt, num_threads=_num_threads())
            if verdict.compiled is not None:
                return xgrammar.CompiledGrammar.deserialize_json(verdict.compiled, vocabulary.info)
            source = verdict.source
        return compile_source(vocabulary.compiler(_num_threads()), grammar.kind, source)

    def _keep(self, grammar: Grammar, compiled: CompiledGrammar) -> None:
        with self._lock:
            if grammar not in self._cache:
                self._cache[grammar] = compiled
                self._num_cached_bytes += compiled.num_bytes
            while self._num_cached_bytes > CACHE_BYTES:
                _, oldest = self._cache.popitem(last=False)
                self._num_cached_bytes -= oldest.num_bytes

    def _vocabulary(self, kind: GrammarKind) -> GrammarVocabulary:
        """Return the tokens as grammars of a kind read them. Special tokens have no text, so that none can
        stand inside a string, except in structural tags, which may name them."""
        with self._vocabularies_lock:  # they take a second where the vocabulary is large
            if not self._vocabularies:
                is_special, ends = self._tokenizer.is_special, self._tokenizer.end_token_ids
                tokens = [*map(self._tokenizer.token_bytes, range(self._tokenizer.vocab_size)), b""]
                shown = [b"" if is_special(token_id) else token for token_id, token in enumerate(tokens)]
                self._vocabularies = [GrammarVocabulary(shown, ends), GrammarVocabulary(tokens, ends)]
            vocabulary = self._vocabularies[kind is GrammarKind.STRUCTURAL_TAG]
            vocabulary.trie  # noqa: B018  # made when it is first read
            return vocabulary


def _compiled_lark(source: LarkSource, vocabulary: GrammarVocabulary) -> CompiledGrammar:
    first = compile_lark(source.text, vocabulary.trie)
    end = len(vocabulary.tokens) - 1
    num_bytes = len(source.text) * _BYTES_A_CHARACTER
    if not source.unique_arrays:
        return CompiledGrammar(vocabulary, num_bytes, lambda made: LarkMatcher(first, end, made.spend))
    arrays = UniqueItems(source.text, source.unique_arrays, vocabulary.index)
    tokens = vocabulary.tokens
    return CompiledGrammar(
        vocabulary,
        2 * num_bytes,
        lambda made: RuledMatcher(LarkMatcher(first, end, made.spend), arrays.start(), tokens),
    )


def _num_threads() -> int:
    return min(8, max(1, num_processors() // 2))
