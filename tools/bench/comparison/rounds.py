"""Rounds in which contenders take turns, and how two of them compare over a run."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple, Protocol, TypeVar


class Named(Protocol):
    """A contender, whose name no other has."""

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
    """Return what `measure(contender, case, round)` returned, by case, contender's name and round.

    A machine's speed drifts from minute to minute. So every round has all cases, which then meet the machine
    of the whole run alike, and contenders take every other round in the opposite order.

    warm_up: cases that come first and are not among the results, since memory that is new to a process is
    slow.
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
    """A summary of the rounds' own ratios; all 0 if a contender has no figure."""

    median: float
    lowest: float
    highest: float


def compare(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Our figures as multiples of theirs, round by round, for within a round both meet the same machine."""
    if not ours or not all((*ours, *theirs)):
        return Ratio(0.0, 0.0, 0.0)
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    return Ratio(median(ratios), min(ratios), max(ratios))
