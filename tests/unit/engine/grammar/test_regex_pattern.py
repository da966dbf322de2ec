import re

import pytest

from engine.grammar.regex_pattern import check_regex, json_string_pattern
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, accepts, generate

HONOURED = [
    r"abc",
    r"^abc$",
    r"^a|b$",
    r"(a|bc)*d?",
    r"(?:ab)+",
    r"(?<year>\d{4})-(?P<month>\d{2})",
    r"a{2}b{1,3}c{2,}",
    r"[a-f]+[^x\d]",
    r"\d\w-?",
    r"[\^a][\^-b][\^][^\^]",
    r"[\w-.][.-]",
    r"\.\*\\\"",
    r"\x41\u0042",
    r"a+?b*?",
    r"((\d{1,3}\.){3}\d{1,3} ){1,2}",
    r"",
]

REFUSED = {
    r"a^b": "anchor",
    r"(a$)b": "anchor",
    r"(^a)": "anchor",
    r"a(?=b)b": "lookaround",
    r"(?<=a)b": "lookaround",
    r"(?!a)b": "lookaround",
    r"(?i)a": "flag",
    r"(a)\1": "escape",
    r"\bfoo": "escape",
    r"a\Z": "escape",
    r"\x00z": "U\\+0000",
    r"[\0]": "U\\+0000",
    r"[]": "class",
    r"[^]": "class",
    r"[a": "class",
    r"(a": "not closed",
    r"a)": "not open",
    r"a{,3}": "brace",
    r"a{x": "brace",
    "a" * 8193: "8192 characters",
    "(" * 65 + "a" + ")" * 65: "nested",
    "(a{1000}){1000}": "repetitions amount",
    "a{999999999}": "repetitions amount",
    "((a{0,20}){0,20}){0,20}": "three nested counts",
    "((((a?){9}){9}){9})": "three nested counts",
}


@pytest.mark.parametrize("pattern", HONOURED)
def test_what_a_pattern_allows_matches_it(pattern: str) -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, pattern))
    texts = [text for seed in range(40) if (text := generate(grammar, seed)) is not None]
    python_pattern = pattern.replace("(?<y", "(?P<y")
    if pattern == r"^a|b$":
        python_pattern = "a|b"
    python_pattern = python_pattern.replace(r"\w-.", r"\w\-.")
    assert texts
    assert not [text for text in texts if not re.fullmatch(python_pattern, text, re.ASCII | re.DOTALL)]


def test_a_pattern_matches_the_whole_text() -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, "a+"))
    assert accepts(grammar, "aa")
    assert not accepts(grammar, "xaa")
    assert not accepts(grammar, "aax")
    assert not accepts(grammar, "")


@pytest.mark.parametrize(("pattern", "message"), REFUSED.items(), ids=[pattern[:24] for pattern in REFUSED])
def test_a_pattern_that_would_not_be_honoured_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(InvalidGrammar, match=message):
        check_regex(pattern)


@pytest.mark.parametrize(
    "pattern", ['"', r"\"", r"\\", r"\n", r"\t", r"\x22", r"\u005c", "\n", r"\x0a", r"\0"]
)
def test_a_character_that_json_escapes_is_refused_inside_a_json_string(pattern: str) -> None:
    with pytest.raises(InvalidGrammar, match="needs an escape"):
        check_regex(pattern, inside_json=True)


@pytest.mark.parametrize(
    "pattern", ["|".join(["a?"] * 2000), "a?" * 4000, "[" + "a" * 8000 + "]", "(((a|b)*)*)*c"]
)
def test_hostile_patterns_within_the_bounds_compile_and_run_in_time(pattern: str) -> None:
    grammar = COMPILER.compile(Grammar(GrammarKind.REGEX, pattern))
    state = grammar.start()
    generate(grammar, 0)
    assert not state.is_too_slow


@pytest.mark.parametrize(
    ("pattern", "honoured"),
    [
        (r"^[a-z\–]+$", r"^[a-z\u{2013}]+$"),  # the escape goes with the character
        (r"\€\\é", r"\u{20ac}\\\u{e9}"),
    ],
)
def test_a_character_beyond_ascii_is_escaped_once(pattern: str, honoured: str) -> None:
    assert json_string_pattern(pattern) == honoured
