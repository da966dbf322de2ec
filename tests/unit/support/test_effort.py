"""The share of combinations that `make test` runs misses no value."""

import pytest

from tests.support.selection.effort import meet


@pytest.mark.parametrize(("num_first", "num_second"), [(1, 1), (1, 5), (5, 2), (3, 4), (14, 7)])
def test_every_value_of_two_parameters_is_in_some_combination(num_first: int, num_second: int) -> None:
    kept = [
        (first, second)
        for first in range(num_first)
        for second in range(num_second)
        if meet(first, second, num_second)
    ]
    assert {first for first, _ in kept} == set(range(num_first))
    assert {second for _, second in kept} == set(range(num_second))
    assert len(kept) == num_first + num_second - 1
