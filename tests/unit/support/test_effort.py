"""The share of combinations that `make test` runs misses no value."""

import pytest

from tests.support.selection.effort import meet


@pytest.mark.parametrize(
    ("num_first", "num_second", "always"),
    [(1, 1, 0), (1, 5, 0), (5, 2, 0), (3, 4, 0), (14, 7, 0), (5, 3, 1), (4, 1, 1), (2, 4, 2)],
)
def test_every_value_of_two_parameters_is_in_some_combination(
    num_first: int, num_second: int, always: int
) -> None:
    kept = [
        (first, second)
        for first in range(num_first)
        for second in range(num_second)
        if meet(first, second, num_second, always)
    ]
    assert {first for first, _ in kept} == set(range(num_first))
    assert {second for _, second in kept} == set(range(num_second))
    for second in range(always):
        assert {first for first, other in kept if other == second} == set(range(num_first))
    num_by_turns = num_second - always
    assert len(kept) == num_first * always + (num_first + num_by_turns - 1 if num_by_turns else 0)
