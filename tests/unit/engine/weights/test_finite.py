"""Any number that is not finite shows, wherever it is."""

import pytest
import torch

from engine.weights.finite import are_finite


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("place", [0, 40_000, 99_999])
def test_one_number_that_is_not_finite_is_found(dtype: torch.dtype, number: float, place: int) -> None:
    numbers = torch.zeros(100_000, dtype=dtype)
    numbers[7], numbers[8] = torch.finfo(dtype).max, torch.finfo(dtype).min
    assert are_finite(numbers.view(100, -1))
    numbers[place] = number
    assert not are_finite(numbers.view(100, -1))


def test_no_numbers_are_finite() -> None:
    assert are_finite(torch.empty(0, 4))
