"""Measurement of contenders by turns in several rounds, and the comparison of their results."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple, Protocol, TypeVar


class Named(Protocol):
    """A contender with a unique name."""

    @property
    def name(self) -> str: ...


Who = TypeVar("Who", bound=Named)
Case = TypeVar("Case")
ResultT = TypeVar("ResultT")


def by_turns(
    contenders: Sequence[Who],
    cases: Sequence[Case],
    rounds: int,
    measure: Callable[[Who, Case, int], ResultT],
    *,
    warm_up: Sequence[Case],
) -> dict[Case, dict[str, list[ResultT]]]:
    """Return the results of `measure(contender, case, round)`, by case, contender's name and round.

    Since a machine's speed changes over minutes, every round has all cases, and the order of the contenders
    is reversed in every other round.

    warm_up: cases that are measured first and not included in the results, since memory that is new to a
    process is slow.
    """
    for case in warm_up:
        for contender in contenders:
            measure(contender, case, rounds)
    results: dict[Case, dict[str, list[ResultT]]] = {
        case: {who.name: [] for who in contenders} for case in cases
    }
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", flush=True)
        for case in cases:
            for contender in contenders[:: -1 if number % 2 else 1]:
                results[case][contender.name].append(measure(contender, case, number))
    return results


class Ratio(NamedTuple):
    """A summary of the ratios of all rounds; 0 if a contender has no result."""

    median: float
    lowest: float
    highest: float


def compare(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Compare our results with theirs round by round, since the machine's speed varies between rounds."""
    if not ours or not all((*ours, *theirs)):
        return Ratio(0.0, 0.0, 0.0)
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    return Ratio(median(ratios), min(ratios), max(ratios))
