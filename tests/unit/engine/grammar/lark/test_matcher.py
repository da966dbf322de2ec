"""The work of llguidance is bounded, and a grammar beyond the bounds fails its own requests."""

import json

import pytest
from llguidance import LLParserLimits

from engine.grammar.compiler import GrammarCompiler
from engine.grammar.lark import matcher as lark_matcher
from engine.port.errors import GenerationFailed, InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import TOKENIZER, accepts, ids_of
from tests.unit.engine.port.text import tiny_tokenizers

COUNTED = Grammar(GrammarKind.REGEX, "((a{0,20}){0,20}){0,20}b")


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lark_matcher, "LIMITS", LLParserLimits(max_lexer_states=20, verbose_errors=False))


def test_a_text_beyond_the_limits_ends_alone_and_the_grammar_is_compiled_again(narrow: None) -> None:
    compiler = GrammarCompiler(TOKENIZER)
    compiled = compiler.compile(COUNTED)
    state = compiled.start()
    for _ in range(30):
        state.prepare()
        state.accept(ids_of("a")[0])
        if state.is_too_slow:
            break
    assert state.is_too_slow
    assert compiled.is_spent
    assert state.only_token_id is None
    assert state.num_allowed(ids_of("a")) == 0
    state.accept(ids_of("a")[0])  # as the sampler may, before it fails the request
    assert compiler.cached(COUNTED) is None
    again = compiler.compile(COUNTED)
    assert again is not compiled
    assert accepts(again, "b")


def test_a_text_whose_grammar_another_text_used_up_is_too_slow_and_its_token_not_refused(
    narrow: None,
) -> None:
    compiled = GrammarCompiler(TOKENIZER).compile(COUNTED)
    state, other = compiled.start(), compiled.start()
    state.prepare()
    while not other.is_too_slow:
        other.prepare()
        other.accept(ids_of("a")[0])
    state.accept(ids_of("a")[0])  # which its mask allowed
    assert state.is_too_slow


def test_a_grammar_beyond_the_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lark_matcher, "LIMITS", LLParserLimits(max_grammar_size=100, verbose_errors=False))
    properties = {f"p{number}": {"type": "boolean"} for number in range(50)}
    schema = json.dumps({"type": "object", "properties": properties})
    with pytest.raises(InvalidGrammar, match="too (big|large)"):
        GrammarCompiler(TOKENIZER).compile(Grammar(GrammarKind.JSON_SCHEMA, schema))


def test_a_refused_token_leaves_the_text_where_it_is() -> None:
    state = GrammarCompiler(TOKENIZER).compile(Grammar(GrammarKind.REGEX, "a*b")).start()
    with pytest.raises(GenerationFailed):
        state.accept(ids_of("c")[0])
    assert not state.is_too_slow
    state.accept(ids_of("a")[0])


def test_a_vocabulary_that_lacks_a_character_leaves_no_token() -> None:
    tokenizer = tiny_tokenizers.metaspace()
    state = GrammarCompiler(tokenizer).compile(Grammar(GrammarKind.REGEX, "ж")).start()
    assert not state.mask.any()
    assert not state.is_too_slow
