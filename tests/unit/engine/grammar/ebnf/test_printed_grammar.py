"""Counts without a maximum are read in one way only, and nothing else of a grammar changes."""

import pytest
import xgrammar

from engine.grammar.ebnf.printed_grammar import enforceable_ebnf, printed_grammar
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
    rules = 'root ::= "\u00df" "e"{2} [\u00df-\u00ff]{130,}'
    grammar = COMPILER.compile(Grammar(GrammarKind.EBNF, rules))
    assert accepts(grammar, "\u00dfee" + "\u00e9" * 130)
    assert not accepts(grammar, "\u00dfee" + "\u00e9" * 129)
    assert not accepts(grammar, "\u0dfeee" + "\u00e9" * 130)


def test_rules_without_such_a_count_are_the_client_s_own_text() -> None:
    rules = '# a comment\nroot ::= "a"{2,}'
    assert enforceable_ebnf(rules) == rules


def test_rules_that_cannot_be_honoured_are_refused() -> None:
    with pytest.raises(InvalidGrammar, match="root"):
        enforceable_ebnf('root ::= "a" root')
