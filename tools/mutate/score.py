"""The mutants that the judge finds, and those that it lets live."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from handlers.checking.judge import Judge
from tools.mutate.excuses import excuse_of
from tools.mutate.mutants.mutants import Mutant, Mutator
from tools.mutate.recording.record import Recorded


class Survivor(NamedTuple):
    """A mutant that the judge did not find, with how often the like of it lived."""

    contract: str
    operation: str
    status: int
    kind: str
    place: str


@dataclass
class Score:
    """killed, lived: mutants by contract and kind. excused: by contract and reason. faulty: answers that the
    judge refuses as they were recorded, with what it says of them.
    """

    num_answers: int = 0
    killed: Counter[tuple[str, str]] = field(default_factory=Counter)
    lived: Counter[tuple[str, str]] = field(default_factory=Counter)
    excused: Counter[tuple[str, str]] = field(default_factory=Counter)
    survivors: list[Survivor] = field(default_factory=list)
    faulty: list[str] = field(default_factory=list)

    @property
    def num_mutants(self) -> int:
        """The number of mutants that are not excused."""
        return self.killed.total() + self.lived.total()

    @property
    def share(self) -> float:
        """The share of mutants found among those that are not excused."""
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


def score(documents: Mapping[str, Any], recorded: Iterable[Recorded], sample: float = 1.0) -> Score:
    """Judges every mutant of every recorded answer; of answers that have the same mutants, one.

    sample: the share of the mutants that is judged, drawn with a fixed seed.
    """
    total = Score()
    by_contract: dict[str, list[Recorded]] = {}
    for one in recorded:
        by_contract.setdefault(one.contract, []).append(one)
    for contract, answers in by_contract.items():
        drawn = _drawn(sample, Random(contract))
        _score(Judge(documents[contract]), documents[contract], answers, drawn, total)
    return total


def _drawn(sample: float, random: Random) -> Iterator[bool]:
    while True:
        yield random.random() < sample


def _score(judge: Judge, document: Any, answers: list[Recorded], drawn: Iterator[bool], total: Score) -> None:
    sound = []
    for one in answers:
        if faults := judge.faults(one.exchange):
            total.faulty.append(f"{one.contract} {one.operation} {one.exchange.status}: {faults[0]}")
        else:
            sound.append(one)
    mutator = Mutator(document, sound)
    distinct = {mutator.signature(one): one for one in sound}
    for one in distinct.values():
        total.num_answers += 1
        mutants = (mutant for mutant in mutator.mutants(one) if mutant.exchange != one.exchange)
        _score_answer(judge, one, (mutant for mutant in mutants if next(drawn)), total)


def _score_answer(judge: Judge, one: Recorded, mutants: Iterable[Mutant], total: Score) -> None:
    for mutant in mutants:
        excuse = mutant.excuse or excuse_of(mutant.kind, one.contract, mutant.place)
        if judge.faults(mutant.exchange):  # whatever its schema leaves open, another rule does not
            total.killed[one.contract, mutant.kind] += 1
        elif excuse is not None:
            total.excused[one.contract, excuse] += 1
        else:
            total.lived[one.contract, mutant.kind] += 1
            total.survivors.append(
                Survivor(one.contract, one.operation, one.exchange.status, mutant.kind, mutant.place)
            )
