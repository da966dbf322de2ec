"""The automaton of a regular expression against Python's `re`, where the two languages agree."""

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.grammar.automata.automaton import Work
from engine.grammar.automata.regex import combined_automaton, pattern_width, regex_automaton
from engine.port.errors import InvalidGrammar
from tests.support.selection.effort import trials

TEXTS = ["".join(letters) for length in range(5) for letters in product("ab\n", repeat=length)]

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "\\n", "\\s", "\\S", "\\w", "\\W", "\\d", "^", "$"])


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    counts = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?"])
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, counts).map(lambda pair: f"({pair[0]}){pair[1]}"),
    )


BODIES = st.recursive(ATOMS, larger, max_leaves=6)
PATTERNS = st.one_of(
    BODIES,
    BODIES.map("^{}$".format),
    BODIES.map("(?P<name>{})a".format),
    st.tuples(st.sampled_from(["^(?=", "^(?!"]), BODIES, BODIES).map(
        lambda part: f"{part[0]}{part[1]}){part[2]}"
    ),
)


def python(pattern: str) -> "re.Pattern[str]":
    """ECMA's $ is at the end alone, and its classes are of ASCII but for blanks."""
    return re.compile(re.sub(r"(?<!\\)\$", r"\\Z", pattern), re.ASCII)


@settings(deadline=None, max_examples=trials(50, whole=200))
@given(PATTERNS)
def test_a_search_finds_what_re_finds(pattern: str) -> None:
    try:
        automaton = regex_automaton(pattern, Work(), is_search=True)
    except InvalidGrammar:
        assert "(?=" in pattern or "(?!" in pattern or ")*" in pattern or "){" in pattern or ")+" in pattern
        return
    expected = python(pattern)
    assert [text for text in TEXTS if automaton.accepts(text)] == [t for t in TEXTS if expected.search(t)]


@settings(deadline=None, max_examples=trials(50, whole=200))
@given(BODIES)
def test_a_match_is_of_the_whole_text(pattern: str) -> None:
    automaton = regex_automaton(pattern, Work())
    expected = python(pattern)
    assert [text for text in TEXTS if automaton.accepts(text)] == [t for t in TEXTS if expected.fullmatch(t)]


@settings(deadline=None)
@given(BODIES)
def test_no_text_that_matches_is_shorter_or_longer_than_the_width(pattern: str) -> None:
    automaton = regex_automaton(pattern, Work())
    low, high = pattern_width(pattern)
    assert all(low <= len(text) <= high for text in TEXTS if automaton.accepts(text))


def test_any_text_may_follow_a_lookahead() -> None:
    low, high = pattern_width("^(?!a)")
    assert low == 0
    assert high > 10**6


@settings(deadline=None)
@given(BODIES, BODIES)
def test_several_patterns_hold_together(one: str, other: str) -> None:
    automaton = combined_automaton([one, other], Work(), is_search=True)
    both = python(one), python(other)
    expected = [text for text in TEXTS if all(pattern.search(text) for pattern in both)]
    assert [text for text in TEXTS if automaton.accepts(text)] == expected


def test_blanks_and_line_ends_are_those_of_ecma() -> None:
    blank, dot = regex_automaton("\\s", Work()), regex_automaton(".", Work())
    assert all(blank.accepts(character) for character in "\t\n\v\f\r \xa0\u2028\ufeff\u3000")
    assert not any(blank.accepts(character) for character in "\x1c\x85a")
    assert not any(dot.accepts(character) for character in "\n\r\u2028\u2029")
    assert all(dot.accepts(character) for character in "\v\x85\U0010ffff")


@pytest.mark.parametrize(
    "pattern",
    [
        "[]",
        "[^]",
        "a{,2}",
        "\\a",
        "\\Z",
        "(?i)a",
        "a\\b",
        "(a)\\1",
        "a(?=b)b",
        "(?<=a)b",
        "(",
        "a" * 9000,
        "(?#x)a",
    ],
)
def test_what_ecma_reads_otherwise_or_no_automaton_can_do_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidGrammar):
        regex_automaton(pattern, Work())


def test_the_states_of_a_pattern_are_bounded() -> None:
    with pytest.raises(InvalidGrammar):
        regex_automaton("(a|b)*a(a|b){20}", Work())
    with pytest.raises(InvalidGrammar):
        regex_automaton("(((a{0,99}){0,99}){0,99}){0,99}", Work())
