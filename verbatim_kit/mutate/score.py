"""The score of the judge: the mutants that it finds, and those that survive."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from verbatim_kit.judge.judge import Judge
from verbatim_kit.mutate.mutants.mutants import Mutant, Mutator
from verbatim_kit.mutate.recorded import Recorded

ExcuseOf: TypeAlias = Callable[[str, str, str], str | None]
"""The reason that excuses a mutant of a kind, in a contract, at a place; None if there is none."""


class Survivor(NamedTuple):
    """A mutant that the judge did not find."""

    contract: str
    operation: str
    status: int
    kind: str
    place: str


@dataclass
class Score:
    """The results of a run.

    killed, lived: found and surviving mutants by contract and kind. excused: mutants by contract and reason.
    faulty: recorded answers with a fault, with the judge's message.
    """

    num_answers: int = 0
    killed: Counter[tuple[str, str]] = field(default_factory=Counter)
    lived: Counter[tuple[str, str]] = field(default_factory=Counter)
    excused: Counter[tuple[str, str]] = field(default_factory=Counter)
    survivors: list[Survivor] = field(default_factory=list)
    faulty: list[str] = field(default_factory=list)

    @property
    def num_mutants(self) -> int:
        """The number of mutants without an excuse."""
        return self.killed.total() + self.lived.total()

    @property
    def share(self) -> float:
        """The share of found mutants among those without an excuse."""
        return self.killed.total() / self.num_mutants if self.num_mutants else 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "answers": self.num_answers,
            "mutants": self.num_mutants,
            "killed": self.killed.total(),
            "share": self.share,
            "by": [
                {"contract": contract, "kind": kind, "killed": self.killed[key], "lived": self.lived[key]}
                for key in sorted(self.killed.keys() | self.lived.keys())
                for contract, kind in [key]
            ],
            "excused": [
                {"contract": contract, "reason": reason, "mutants": count}
                for (contract, reason), count in sorted(self.excused.items())
            ],
            "survivors": [survivor._asdict() for survivor in self.survivors],
            "faulty": self.faulty,
        }


def no_excuse(kind: str, contract: str, place: str) -> None:
    """Excuse nothing."""


def score(
    documents: Mapping[str, Any],
    recorded: Iterable[Recorded],
    sample: float = 1.0,
    excuse_of: ExcuseOf = no_excuse,
) -> Score:
    """Judge the mutants of all recorded answers; of answers with the same mutants, only one is used.

    sample: share of the mutants to judge, chosen with a fixed seed. excuse_of: the project's own excuses.
    """
    total = Score()
    by_contract: dict[str, list[Recorded]] = {}
    for answer in recorded:
        by_contract.setdefault(answer.contract, []).append(answer)
    for contract, answers in by_contract.items():
        drawn = _drawn(sample, Random(contract))
        _score(Judge(documents[contract]), documents[contract], answers, drawn, excuse_of, total)
    return total


def _drawn(sample: float, random: Random) -> Iterator[bool]:
    while True:
        yield random.random() < sample


def _score(
    judge: Judge,
    document: Any,
    answers: list[Recorded],
    drawn: Iterator[bool],
    excuse_of: ExcuseOf,
    total: Score,
) -> None:
    sound = []
    for answer in answers:
        if faults := judge.faults(answer.exchange):
            status = answer.exchange.status
            total.faulty.append(f"{answer.contract} {answer.operation} {status}: {faults[0]}")
        else:
            sound.append(answer)
    mutator = Mutator(document, sound)
    distinct = {mutator.signature(answer): answer for answer in sound}
    for answer in distinct.values():
        total.num_answers += 1
        mutants = (mutant for mutant in mutator.mutants(answer) if mutant.exchange != answer.exchange)
        _score_answer(judge, answer, (mutant for mutant in mutants if next(drawn)), excuse_of, total)


def _score_answer(
    judge: Judge, answer: Recorded, mutants: Iterable[Mutant], excuse_of: ExcuseOf, total: Score
) -> None:
    for mutant in mutants:
        excuse = mutant.excuse or excuse_of(mutant.kind, answer.contract, mutant.place)
        if judge.faults(mutant.exchange):  # counts as found even with an excuse
            total.killed[answer.contract, mutant.kind] += 1
        elif excuse is not None:
            total.excused[answer.contract, excuse] += 1
        else:
            total.lived[answer.contract, mutant.kind] += 1
            total.survivors.append(
                Survivor(answer.contract, answer.operation, answer.exchange.status, mutant.kind, mutant.place)
            )
