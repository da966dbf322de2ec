"""Questions of decisions: each has one right option, which its input tells."""

import pytest

from handlers.decisions.question import QuestionKind
from tools.demo_model.decisions import KINDS, Trial
from tools.demo_model.scribe import Scribe, Split


def drawn(kind: str) -> list[Trial]:
    scribe = Scribe(0, Split.UNSEEN)
    return [KINDS[kind](scribe) for _ in range(200)]


@pytest.mark.parametrize("kind", KINDS)
def test_options_differ_and_each_place_is_right_at_times(kind: str) -> None:
    trials = drawn(kind)
    for one in trials:
        assert len(set(one.question.options)) == len(one.question.options)
    assert {one.right for one in trials} == set(range(max(len(one.question.options) for one in trials)))


def test_the_right_choice_of_a_fact_is_stated() -> None:
    for one in drawn("a stated fact, a choice of four"):
        assert str(one.question.options[one.right].name) in one.input


def test_a_fact_holds_if_it_is_stated() -> None:
    for one in drawn("a stated fact, yes or no"):
        assert (str(one.question.instructions) in one.input) == (one.right == 0), one


def test_a_shift_moves_the_right_option_too() -> None:
    for one in (each for kind in KINDS for each in drawn(kind) if each.question.kind is QuestionKind.CHOICE):
        for shift in range(len(one.question.options)):
            moved = one.shifted(shift)
            assert moved.question.options[moved.right] == one.question.options[one.right]
            assert moved.question.options[0] == one.question.options[shift]
