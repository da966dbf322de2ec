"""How two contenders compare over the rounds of one run."""

from collections.abc import Sequence
from statistics import median


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the rounds' own ratios; 0 where a contender has no figure.

    A machine's speed drifts from round to round; within one both meet the same machine.
    """
    if not all((*ours, *theirs)):
        return 0.0
    return median(our / their for our, their in zip(ours, theirs, strict=True))
