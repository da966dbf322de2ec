"""The processor time that a grammar may take: of a step, of a byte, and of the whole text."""

import pytest

from engine.grammar.ebnf.time_budget import (
    MAX_BYTE_S,
    MAX_FIRST_S,
    MAX_MEAN_BYTE_S,
    MAX_STEP_S,
    MAX_SURE_BYTE_S,
    TimeBudget,
)


@pytest.mark.parametrize(("taken_s", "is_exceeded"), [(MAX_STEP_S, False), (1.01 * MAX_STEP_S, True)])
def test_a_step_has_a_bound(taken_s: float, is_exceeded: bool) -> None:
    budget = TimeBudget()
    budget.count_step(taken_s)
    assert budget.is_exceeded is is_exceeded


def test_a_quick_step_does_not_excuse_a_slow_one() -> None:
    budget = TimeBudget()
    budget.count_step(2 * MAX_STEP_S)
    budget.count_step(0.0)
    assert budget.is_exceeded


@pytest.mark.parametrize(
    ("taken_s", "token_s", "is_exceeded"),
    [
        (MAX_BYTE_S, MAX_STEP_S, False),
        (1.01 * MAX_BYTE_S, MAX_BYTE_S, True),
        (0.0, 1.01 * MAX_STEP_S, True),  # many bytes, none of them slow
    ],
)
def test_a_byte_and_its_token_have_bounds(taken_s: float, token_s: float, is_exceeded: bool) -> None:
    budget = TimeBudget()
    budget.count_byte(taken_s, token_s)
    assert budget.is_exceeded is is_exceeded


def test_the_slowest_byte_says_whether_the_next_mask_is_quick() -> None:
    budget, quick = TimeBudget(), []
    for taken_s in (MAX_SURE_BYTE_S, 2 * MAX_SURE_BYTE_S, 0.0):
        budget.count_byte(taken_s, taken_s)
        quick.append(budget.is_quick)
    assert quick == [True, False, False]
    assert not budget.is_exceeded


def test_each_byte_of_a_text_allows_for_more_time() -> None:
    budget = TimeBudget()
    budget.count_text(1000, MAX_FIRST_S + 999 * MAX_MEAN_BYTE_S)
    assert not budget.is_exceeded
    budget.count_text(1, 3 * MAX_MEAN_BYTE_S)
    assert budget.is_exceeded
