"""A pattern of a schema allows the strings that match it, and no text that is no JSON."""

import itertools
import json
import random
import re
from collections.abc import Callable

import pytest
import xgrammar

from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER

_NUM_PATTERNS = 40  # of each kind
_ATOMS = ("a", "b", "x", "é", ".", "]", "[^a]", "[ab]", "[^é]", r"\S", r"\D", '["]', r"[\\x]")
_COUNTS = ("", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "{1,}", "{2,}", "*?")
# Alone, and as JSON escapes none of them.
_TEXTS = ["".join(text) for length in range(5) for text in itertools.product("abx]", repeat=length)]
# What no JSON has in a string, and where a string would end.
_BROKEN = ['"', "\n", "\\", 'a"b', "b\nx", "é\\", '""', "\x01]"]


def _pattern(draw: random.Random, depth: int) -> str:
    kind = draw.random() if depth else 0
    if kind < 0.4:
        return "".join(draw.choice(_ATOMS) + draw.choice(_COUNTS) for _ in range(draw.randint(1, 3)))
    inner = _pattern(draw, depth - 1)
    if kind < 0.7:
        return f"(?:{inner}|{_pattern(draw, depth - 1)}){draw.choice(_COUNTS)}"
    return f"({inner}){draw.choice(_COUNTS)}" if kind < 0.9 else inner + _pattern(draw, depth - 1)


def _reader(pattern: str) -> Callable[[str], bool]:
    """Return whether the grammar of such strings allows a text of JSON."""
    schema = {"type": "string", "pattern": f"^(?:{pattern})$"}
    compiled = COMPILER.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema)))

    def is_allowed(text: str) -> bool:
        matcher = xgrammar.GrammarMatcher(compiled._compiled, terminate_without_stop_token=True)
        return bool(matcher.accept_string(text) and matcher.is_terminated())

    return is_allowed


@pytest.mark.parametrize("seed", range(_NUM_PATTERNS))
def test_a_pattern_allows_what_matches_it_and_no_text_that_ends_its_string(seed: int) -> None:
    pattern = _pattern(random.Random(seed), 2)
    try:
        is_allowed = _reader(pattern)
    except InvalidGrammar as refusal:
        assert "automaton" in str(refusal) or "no value matches" in str(refusal), pattern
        return
    expected = re.compile(f"(?:{pattern})")
    different = [text for text in _TEXTS if is_allowed(f'"{text}"') != bool(expected.fullmatch(text))]
    assert not different, (pattern, different[:5])
    assert not [text for text in _BROKEN if is_allowed(f'"{text}"')], pattern
