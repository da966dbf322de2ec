"""Logits are compared row by row, relative to the reference."""

import torch

from engine.model.checks.reference_pass import largest_difference, relative_difference


def test_a_row_of_zeros_is_like_zeros_and_unlike_anything_else() -> None:
    theirs = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    assert largest_difference(theirs.clone(), theirs) == 0
    assert largest_difference(torch.tensor([[0.0, 1e-6], [3.0, 4.0]]), theirs) > 1
    assert relative_difference(torch.tensor([[0.0, 0.0], [3.0, 3.5]]), theirs[1:].repeat(2, 1)) > 0


def test_a_row_that_is_no_number_is_unlike_the_reference() -> None:
    theirs = torch.tensor([[3.0, 4.0]])
    assert not largest_difference(torch.full((1, 2), torch.nan), theirs) < 1
