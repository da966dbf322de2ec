"""Counts without a maximum are read in one way only, and nothing else of a grammar changes."""

import json

import pytest
import xgrammar

from engine.grammar.ebnf.printed_grammar import enforceable_ebnf, enforceable_regex, printed_grammar
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, accepts


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ('root ::= "[" "ab"{300,} "]"', "root_1{300, 300} root_1{0, -1}"),
        ('root ::= "[" "ab"{128,} "]"', "root_1{128, -1}"),
        ('root ::= "[" "ab"{300,400} "]"', "root_1{300, 400}"),
        ('root ::= "x{300, -1}" [x{300, -1}]', '"x{300, -1}" [x{300, -1}]'),
    ],
)
def test_only_what_has_no_end_is_put_last(rules: str, expected: str) -> None:
    assert expected in printed_grammar(xgrammar.Grammar.from_ebnf(rules))


def test_a_letter_outside_ascii_is_read_again_as_itself() -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, "\u00dfe{2}[\u00df-\u00ff]{130,}"))
    assert accepts(grammar, "\u00dfee" + "\u00e9" * 130)
    assert not accepts(grammar, "\u00dfee" + "\u00e9" * 129)
    assert not accepts(grammar, "\u0dfeee" + "\u00e9" * 130)


def test_rules_without_such_a_count_are_the_client_s_own_text() -> None:
    rules = '# a comment\nroot ::= "a"{2,}'
    assert enforceable_ebnf(rules) == rules


def test_rules_and_patterns_that_cannot_be_honoured_are_refused() -> None:
    with pytest.raises(InvalidGrammar, match="root"):
        enforceable_ebnf('root ::= "a" root')
    with pytest.raises(InvalidGrammar, match="lookaround"):
        enforceable_regex("(?=a)b")


@pytest.mark.parametrize("pattern", ["a.b", "é.b", "a(?:.|x)b", r"a[^.\n\r\u2028\u2029]b"])
def test_a_dot_matches_no_end_of_a_line(pattern: str) -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, pattern))
    first = pattern[0]
    assert [accepts(grammar, f"{first}{text}b") for text in ("x", "é", '"', "\n", "\r", "\u2028")] == [
        *(True,) * 3,
        *(False,) * 3,
    ]


@pytest.mark.parametrize("pattern", [r"a\.b", "a[.]b", r"a[^\]x.]b"])
def test_a_dot_that_is_no_sign_stays(pattern: str) -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, pattern))
    assert accepts(grammar, "a.b") != pattern.startswith("a[^")
    assert accepts(grammar, "a\nb") == pattern.startswith("a[^")


def test_categories_of_unicode_are_honoured_outside_of_schemas() -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, r"\p{Lu}\P{L}+"))
    assert [accepts(grammar, text) for text in ("É1", "é1", "Éa")] == [True, False, False]
    tag = {"type": "regex", "pattern": r"\p{Lu}.", "excludes": ["x"]}
    source = json.dumps({"type": "structural_tag", "format": {**tag}})
    tagged = COMPILER.compile(Grammar(GrammarKind.STRUCTURAL_TAG, source))
    assert [accepts(tagged, text) for text in ("Éa", "É\n", "éa")] == [True, False, False]
