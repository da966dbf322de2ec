"""The numbers that answers have in addition to probabilities.

OpenAI and TypeSafe publish no formulas of confidence. These give the figures of the examples of both, and
SGLang and transformers compute the same (docs/decisions.md).
"""

from collections.abc import Sequence
from math import fsum


def likeliest(probabilities: Sequence[float]) -> int:
    """Return the number of the most likely option, the first of several."""
    return max(range(len(probabilities)), key=lambda number: probabilities[number])


def choice_confidence(probabilities: Sequence[float]) -> float:
    """Return how far the highest probability is from an even distribution, 0, towards certainty, 1."""
    num = len(probabilities)
    if num == 1:
        return 1.0
    return _clamped((num * max(probabilities) - 1) / (num - 1))


def expected_score(probabilities: Sequence[float]) -> float:
    """Return the mean of the levels' numbers, which count from 0."""
    return fsum(number * probability for number, probability in enumerate(probabilities))


def score_confidence(probabilities: Sequence[float]) -> float:
    """Return 1 less the mean distance from the most likely level, in units of an even distribution's."""
    num = len(probabilities)
    if num == 1:
        return 1.0
    top, middle = likeliest(probabilities), (num - 1) / 2
    distance = fsum(probability * abs(number - top) for number, probability in enumerate(probabilities))
    spread = fsum(abs(number - middle) for number in range(num)) / num
    return _clamped(1 - distance / spread)


def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)
