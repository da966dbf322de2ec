"""Automata against brute force: every short text over a small alphabet, and drawn ones."""

import json
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.grammar.automata.automaton import LAST_CHARACTER, MAX_STATES, Automaton, Work, explore
from engine.grammar.automata.encoding import json_string, utf8
from engine.grammar.automata.net import MAX_NODES, Net
from engine.port.errors import InvalidGrammar

ALPHABET = "ab"
TEXTS = ["".join(letters) for length in range(6) for letters in product(ALPHABET, repeat=length)]


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    """An automaton over the alphabet, with arcs left out, and states that are not reached or lead nowhere."""
    num_states = draw(st.integers(1, 5))
    targets = st.one_of(st.none(), st.integers(0, num_states - 1))
    arcs = [
        [(ord(letter), ord(letter), target) for letter in ALPHABET if (target := draw(targets)) is not None]
        for _ in range(num_states)
    ]
    return Automaton(arcs, draw(st.sets(st.integers(0, num_states - 1))))


def texts_of(automaton: Automaton) -> set[str]:
    return {text for text in TEXTS if automaton.accepts(text)}


@settings(deadline=None)
@given(automata(), automata())
def test_an_intersection_accepts_what_both_accept(one: Automaton, other: Automaton) -> None:
    assert texts_of(one.intersection(other, Work())) == texts_of(one) & texts_of(other)


@settings(deadline=None)
@given(automata(), st.text(max_size=3))
def test_a_complement_accepts_all_other_texts(automaton: Automaton, text: str) -> None:
    complement = automaton.complement()
    assert texts_of(complement) == {*TEXTS} - texts_of(automaton)
    assert complement.accepts(text) is not automaton.accepts(text)


@settings(deadline=None)
@given(automata(), st.integers(0, 3), st.one_of(st.none(), st.integers(0, 4)))
def test_a_length_leaves_the_texts_of_that_length(automaton: Automaton, low: int, high: int | None) -> None:
    found = texts_of(automaton.with_length(low, high, Work()))
    assert found == {
        text for text in texts_of(automaton) if low <= len(text) <= (9 if high is None else high)
    }


@settings(deadline=None)
@given(automata())
def test_a_smaller_automaton_accepts_the_same_texts(automaton: Automaton) -> None:
    minimal, pruned = automaton.minimal(Work()), automaton.pruned()
    assert texts_of(minimal) == texts_of(pruned) == texts_of(automaton)
    assert len(minimal.arcs) <= len(pruned.arcs) <= len(automaton.arcs)


@settings(deadline=None)
@given(automata())
def test_no_state_of_a_minimal_automaton_is_equal_to_another(automaton: Automaton) -> None:
    minimal = automaton.minimal(Work())
    languages = {
        frozenset(text for text in TEXTS if _from_state(minimal, state).accepts(text))
        for state in range(len(minimal.arcs))
    }
    assert len(languages) == len(minimal.arcs)


def _from_state(automaton: Automaton, state: int) -> Automaton:
    """The automaton with its states renumbered, so that it starts in another one."""
    numbers = [state, *(other for other in range(len(automaton.arcs)) if other != state)]
    arcs = [
        [(low, high, numbers.index(target)) for low, high, target in automaton.arcs[number]]
        for number in numbers
    ]
    return Automaton(arcs, {numbers.index(number) for number in automaton.accepting})


@settings(deadline=None)
@given(automata())
def test_texts_are_counted_from_each_state(automaton: Automaton) -> None:
    pruned = automaton.pruned()
    counts = pruned.num_texts()
    # With at most five states, a text of five characters passes one of them twice.
    longest = {
        state: [text for text in TEXTS if _from_state(pruned, state).accepts(text)]
        for state in range(len(counts))
    }
    for state, texts in longest.items():
        is_endless = _has_circle(pruned, state)
        assert counts[state] == (None if is_endless else len(texts))


def _has_circle(automaton: Automaton, start: int) -> bool:
    @cache
    def reached(state: int) -> frozenset[int]:
        seen, waiting = set[int](), [state]
        while waiting:
            for _, _, target in automaton.arcs[waiting.pop()]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return frozenset(seen)

    return any(state in reached(state) for state in {start, *reached(start)})


CHARACTERS = st.one_of(
    st.characters(max_codepoint=0xD7FF),
    st.sampled_from('\x00\n"\\\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff'),
)


def spans(texts: list[tuple[str, str]]) -> Automaton:
    """The automaton of single characters in one of these spans."""
    net = Net("")
    start, end = net.node(), net.node()
    net.arcs[start] += [(ord(min(pair)), ord(max(pair)), end) for pair in texts]
    return net.deterministic(frozenset({start}), lambda at: end in at, Work()).minimal(Work())


@settings(deadline=None)
@given(st.lists(st.tuples(CHARACTERS, CHARACTERS), min_size=1, max_size=3), CHARACTERS)
def test_utf8_accepts_the_bytes_of_the_texts(pairs: list[tuple[str, str]], character: str) -> None:
    automaton = spans(pairs)
    encoded = utf8(automaton, Work())
    for text in (character, *(end for pair in pairs for end in pair)):
        assert encoded.accepts(text.encode().decode("latin-1")) is automaton.accepts(text)
    assert all(high <= 0xFF for arcs in encoded.arcs for _, high, _ in arcs)
    beyond = chr(min(max(max(pair) for pair in pairs).encode()[0] + 1, 0xFF))
    assert not encoded.accepts(beyond)


def test_utf8_of_any_character_reads_no_other_bytes() -> None:
    encoded = utf8(spans([("\0", "\U0010ffff")]), Work())
    count = encoded.num_texts()[0]
    assert count == 0x110000 - 0x800  # surrogates have no bytes


@settings(deadline=None)
@given(st.lists(st.text(CHARACTERS, max_size=4), min_size=1, max_size=4), st.text(CHARACTERS, max_size=4))
def test_a_json_string_has_one_text_for_each_string(texts: list[str], other: str) -> None:
    net = Net("")
    start = net.node()
    ends = {net.text(start, text) for text in texts}
    automaton = net.deterministic(frozenset({start}), lambda at: bool(at & ends), Work())
    encoded = json_string(automaton, Work())
    for text in (*texts, other):
        assert encoded.accepts(json.dumps(text, ensure_ascii=False)) is (text in texts)
    assert encoded.num_texts()[0] == len({*texts})


@settings(deadline=None)
@given(automata(), automata())
def test_a_net_appends_automata(one: Automaton, other: Automaton) -> None:
    net = Net("")
    start = net.node()
    end = net.automaton(net.text(net.automaton(start, one), "-"), other)
    made = net.deterministic(net.closure([start], Work()), lambda at: end in at, Work())
    for text in TEXTS[:15]:
        for after in TEXTS[:15]:
            assert made.accepts(f"{text}-{after}") is (one.accepts(text) and other.accepts(after))


def test_the_number_of_states_is_bounded() -> None:
    with pytest.raises(InvalidGrammar, match=str(MAX_STATES)):
        explore(0, lambda state: [(0, LAST_CHARACTER, state + 1)], lambda state: True, Work())


def test_the_work_is_bounded() -> None:
    ring = Automaton([[(97, 97, (at + 1) % 997)] for at in range(997)], {0})
    other = Automaton([[(97, 97, (at + 1) % 991)] for at in range(991)], {0})
    with pytest.raises(InvalidGrammar, match="too long to make"):
        ring.intersection(other, Work(500))


def test_the_nodes_of_a_net_are_bounded() -> None:
    net = Net("too large")
    with pytest.raises(InvalidGrammar, match="too large"):
        net.text(net.node(), "a" * MAX_NODES)
