"""Pearson's test of whether counts come from a distribution."""

import torch
from torch import Tensor


def chi_square_p_value(counts: Tensor, probabilities: Tensor) -> float:
    """The chance of counts as far from their expectation, or farther, if they come from the distribution.

    counts, probabilities: [m]. Outcomes expected fewer than 5 times are taken together, as the test asks; a
    count where the probability is 0 gives 0.
    """
    counts, probabilities = counts.double(), probabilities.double()
    if bool((counts[probabilities == 0] > 0).any()):
        return 0.0
    expected = probabilities / probabilities.sum() * counts.sum()
    is_rare = expected < 5
    counts = torch.cat([counts[~is_rare], counts[is_rare].sum().unsqueeze(0)])
    expected = torch.cat([expected[~is_rare], expected[is_rare].sum().unsqueeze(0)])
    counts, expected = counts[expected > 0], expected[expected > 0]
    if len(expected) == 1:
        return 1.0  # there is but one outcome, and all counts are its own
    statistic = ((counts - expected) ** 2 / expected).sum()
    degrees = torch.tensor((len(expected) - 1) / 2, dtype=torch.float64)
    return float(torch.special.gammaincc(degrees, statistic / 2))
