"""Rules that are slow to follow are refused before a request runs under them."""

import pytest
import xgrammar

from engine.grammar.ebnf.process.rehearsal import rehearse
from engine.grammar.vocabulary import GrammarVocabulary
from engine.port.errors import InvalidGrammar

TOKENS = [*(bytes([byte]) for byte in range(256)), b"a" * 16, b""]
VOCABULARY = GrammarVocabulary(TOKENS, ())


def _rehearse(rules: str) -> None:
    rehearse(VOCABULARY.compiler(1).compile_grammar(xgrammar.Grammar.from_ebnf(rules)), TOKENS, 5.0)


def test_rules_that_read_a_text_in_ever_more_ways_are_refused() -> None:
    with pytest.raises(InvalidGrammar, match="takes too long to follow"):
        _rehearse('root ::= root root | "a" | ""')


@pytest.mark.parametrize("rules", ['root ::= "a"*', 'root ::= "(" root ")" | [a-z]+', 'root ::= "a"'])
def test_others_are_not(rules: str) -> None:
    _rehearse(rules)
