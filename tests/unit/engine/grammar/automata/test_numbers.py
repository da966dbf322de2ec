"""The automaton of multiples against arithmetic."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.grammar.automata.automaton import Work
from engine.grammar.automata.numbers import multiples_automaton
from engine.port.errors import InvalidGrammar
from tests.support.selection.effort import trials

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
STEPS = st.sampled_from([1, 2, 3, 7, 10, 0.5, 0.25, 0.1, 0.01, 1.5, 2.5])
BOUNDS = st.one_of(st.none(), st.decimals(-30, 30, places=2))
TEXTS = st.one_of(
    st.integers(-40, 40).map(str),
    st.decimals(-40, 40, places=2).map(str),
    st.decimals(-40, 40, places=1).map(str),
    st.text("-.0123459", max_size=6),
)


def is_expected(text: str, step: float, low: Decimal | None, high: Decimal | None) -> bool:
    value = Decimal(text)
    is_multiple = not Fraction(text) % Fraction(repr(step))
    return is_multiple and (low is None or value >= low) and (high is None or value <= high)


@settings(deadline=None, max_examples=trials(60, whole=300))
@given(STEPS, BOUNDS, BOUNDS, st.lists(TEXTS, min_size=5))
def test_what_is_accepted_is_a_multiple_between_the_bounds(
    step: float, low: Decimal | None, high: Decimal | None, texts: list[str]
) -> None:
    automaton = multiples_automaton(step, low, high, is_integer=False, work=Work())
    decimals = len(str(step).partition(".")[2])
    for text in texts:
        is_written_so = NUMBER.fullmatch(text) and len(text.partition(".")[2]) <= decimals
        if not is_written_so or (text[0] == "-" and not Decimal(text)):
            assert not automaton.accepts(text), text  # no number, a needless digit, or -0
        else:
            assert automaton.accepts(text) is is_expected(text, step, low, high), text


@settings(deadline=None)
@given(STEPS, BOUNDS, BOUNDS)
def test_all_whole_multiples_between_the_bounds_are_accepted(
    step: float, low: Decimal | None, high: Decimal | None
) -> None:
    automaton = multiples_automaton(step, low, high, is_integer=True, work=Work())
    for value in range(-45, 45):
        assert automaton.accepts(str(value)) is is_expected(str(value), step, low, high), value


def test_bounds_of_many_digits_hold() -> None:
    low, high = Decimal(10**17 + 1), Decimal(10**17 + 9)
    automaton = multiples_automaton(5, low, high, is_integer=True, work=Work())
    assert automaton.num_texts()[0] == 1
    assert automaton.accepts(str(10**17 + 5))


def test_nothing_between_the_bounds_has_no_state() -> None:
    automaton = multiples_automaton(7, Decimal(8), Decimal(13), is_integer=True, work=Work())
    assert not automaton.arcs


def test_a_multiple_of_too_many_states_is_refused() -> None:
    with pytest.raises(InvalidGrammar):
        multiples_automaton(99991, None, None, is_integer=True, work=Work())
