"""Large counts of items, and in patterns, are exact at both ends."""

import json
from typing import Any

import pytest

from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, accepts

BOUNDS = [(0, 129), (129, None), (300, 300), (5, 1000), (1024, 1057), (31, 32 * 33), (2000, None)]


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_an_array_is_neither_shorter_nor_longer(low: int, high: int | None) -> None:
    schema: dict[str, Any] = {"type": "array", "items": {"type": "boolean"}, "minItems": low}
    if high is not None:
        schema["maxItems"] = high
    grammar = COMPILER.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema)))
    most = low + 40 if high is None else high
    for length in {low - 1, low, low + 1, (low + most) // 2, most - 1, most, most + 1} - {-1}:
        is_allowed = low <= length and (high is None or length <= high)
        assert accepts(grammar, json.dumps([True] * length), 20) is is_allowed, length


@pytest.mark.parametrize(
    ("kind", "source", "unit"),
    [
        (GrammarKind.EBNF, 'root ::= "[" ("ab" | "c"){3,400} "]"', "ab"),
        (GrammarKind.REGEX, r"\[(?:ab|c){3,400}\]", "c"),
        (GrammarKind.REGEX, r"\[[c-e]{3,400}\]", "d"),
        (GrammarKind.JSON_SCHEMA, json.dumps({"type": "string", "pattern": "^(ab|c){3,400}$"}), "ab"),
    ],
    ids=["EBNF", "regex", "regex of a class", "pattern"],
)
def test_a_count_of_a_client_s_own_is_kept(kind: GrammarKind, source: str, unit: str) -> None:
    grammar = COMPILER.compile(Grammar(kind, source))
    begin, end = '""' if kind is GrammarKind.JSON_SCHEMA else "[]"
    for length in (2, 3, 128, 129, 399, 400, 401):
        assert accepts(grammar, begin + unit * length + end, 20) is (3 <= length <= 400), length
