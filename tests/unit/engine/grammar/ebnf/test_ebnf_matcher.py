"""xgrammar's texts are followed byte by byte, and its rules have to allow a finite text."""

import json
from typing import Any

import pytest

from engine.grammar.ebnf.matcher import EbnfMatcher
from engine.grammar.matcher import GrammarMatcher
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, TOKENIZER, ids_of

V = TOKENIZER.vocab_size
[EOS] = TOKENIZER.end_token_ids


def repeated(text: str) -> GrammarMatcher:
    return COMPILER.compile(Grammar(GrammarKind.EBNF, f'root ::= "{text}"+')).start()


def test_a_token_is_followed_byte_by_byte_until_one_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte may cost several times the byte before it, so that a token of ten would never end."""
    times = iter(0.04 * 4**call for call in range(100))
    monkeypatch.setattr("engine.grammar.ebnf.matcher.processor_s", lambda: next(times))
    text, token_id = longest_word()
    sequence = repeated(text)
    accepted: list[int] = []
    matcher = sequence._matcher
    assert isinstance(matcher, EbnfMatcher)
    monkeypatch.setattr(matcher, "_matcher", Spied(matcher._matcher, accepted))
    sequence.accept(token_id)
    assert sequence.is_too_slow
    assert accepted == []


def longest_word() -> tuple[str, int]:
    """A token of several letters or a blank and letters, and its id."""
    words = ((text, i) for i in range(V) if (text := TOKENIZER.token_text(i)).strip().isalpha())
    return max(words, key=lambda word: len(word[0]))


class Spied:
    """A matcher that notes the tokens it takes."""

    def __init__(self, matcher: Any, accepted: list[int]) -> None:
        self._matcher = matcher
        self._accepted = accepted

    def accept_token(self, token_id: int) -> bool:
        self._accepted.append(token_id)
        taken: bool = self._matcher.accept_token(token_id)
        return taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self._matcher, name)


def test_bytes_that_were_followed_are_gone_back_before_their_token_is_taken() -> None:
    text, token_id = longest_word()
    sequence = repeated(text)
    for _ in range(3):
        sequence.accept(token_id)
    sequence.accept(EOS)
    assert sequence.is_complete


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ('root ::= "a" root', "root"),
        ("root ::= root", "root"),
        ('root ::= "x" b\nb ::= c | b "y"\nc ::= b b', "b"),
        ('root ::= "k" (a)+\na ::= b\nb ::= "x" a', "a"),
        ('root ::= a{1,3}\na ::= "x" a', "a"),
    ],
)
def test_rules_without_a_finite_text_are_refused_by_name(source: str, rule: str) -> None:
    with pytest.raises(InvalidGrammar, match=f"rule {rule}: .* without end"):
        COMPILER.compile(Grammar(GrammarKind.EBNF, source))
    content = {"type": "grammar", "grammar": source}
    tag = {
        "type": "structural_tag",
        "format": {"type": "tag", "begin": "<a>", "content": content, "end": "</a>"},
    }
    with pytest.raises(InvalidGrammar, match=f"rule {rule}: .* without end"):
        COMPILER.compile(Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps(tag)))


@pytest.mark.parametrize(
    "source",
    [
        'root ::= "a" root | ""',
        'root ::= a{0,3}\na ::= "x" a',
        "root ::= [a-z]*",
        'root ::= ("a" | b)*\nb ::= "x" b',
        'root ::= "a"{100000000}',
    ],
)
def test_rules_with_a_finite_text_are_not_however_long_it_is(source: str) -> None:
    COMPILER.compile(Grammar(GrammarKind.EBNF, source))


def test_a_text_that_is_forced_without_a_practical_end_is_followed_at_the_usual_pace() -> None:
    doubling = "root ::= r0\n" + "\n".join(f"r{i} ::= r{i + 1} r{i + 1}" for i in range(30)) + '\nr30 ::= "a"'
    for source in (doubling, 'root ::= "a"{100000000}'):
        sequence = COMPILER.compile(Grammar(GrammarKind.EBNF, source)).start()
        for _ in range(100):
            assert sequence.only_token_id == ids_of("a")[0]
            sequence.accept(ids_of("a")[0])
