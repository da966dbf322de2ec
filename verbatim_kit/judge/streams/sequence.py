"""The check of a sequence's items against its laws, one after another."""

from collections.abc import Iterator
from typing import Any

from verbatim_kit.json_pointer import ABSENT, look_up
from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.schemas import Rule
from verbatim_kit.judge.streams.joined import JoinedText
from verbatim_kit.judge.streams.laws import PartLaws, Pointer, SequenceLaws


class Sequence:
    """The state of one sequence so far. request: the request's body; None if there is none."""

    def __init__(self, laws: SequenceLaws, request: Any) -> None:
        self._laws = laws
        self._num_seen = 0
        self._has_ended = False
        self._constants: dict[Pointer, Any] = {}
        self._texts = [JoinedText(law) for law in laws.joined]
        self._num_once = [0] * len(laws.once)
        self._phase = 0  # the latest of `order` that has begun
        self._parts = [_Parts(part, request) for part in laws.parts]

    def take(self, item: Any, place: str) -> Iterator[Fault]:
        """Yield the faults of the next item."""
        laws = self._laws
        if self._has_ended:
            yield _fault(place, "It comes after the last one")
        if laws.first is not None:
            yield from self._begin(item, place, laws.first)
        if laws.last is not None:
            self._has_ended |= laws.last.allows(item)
        if laws.each is not None:
            yield from _of_laws(laws.each.faults(item, place))
        yield from self._keep_constant(item, place)
        yield from self._count(item, place)
        yield from self._keep_order(item, place)
        for text in self._texts:
            yield from text.take(item, place)
        self._num_seen += 1
        for parts in self._parts:
            yield from parts.take(item, place)

    def end(self, place: str) -> Iterator[Fault]:
        """Yield the faults of a sequence that ends here, such as missing items."""
        if self._laws.last is not None and not self._has_ended:
            yield _fault(place, "None is the last one" if self._num_seen else "There is none")
        missing = self._num_once.count(0)
        if missing:
            yield _fault(place, f"{missing} of those that come once have not come")
        for parts in self._parts:
            yield from parts.end(place)

    def _begin(self, item: Any, place: str, first: Rule) -> Iterator[Fault]:
        if self._num_seen == 0:
            yield from _of_laws(first.faults(item, place))
        elif first.allows(item):
            yield _fault(place, "It is a first one, and not the first")

    def _keep_constant(self, item: Any, place: str) -> Iterator[Fault]:
        for pointer in self._laws.constant:
            value = look_up(item, pointer)
            if value is ABSENT:
                continue
            known = self._constants.setdefault(pointer, value)
            if value != known:
                yield _fault("/".join((place, *pointer)), f"{value!r} was {known!r} before")

    def _count(self, item: Any, place: str) -> Iterator[Fault]:
        for pointer, start in self._laws.counts:
            value, due = look_up(item, pointer), start + self._num_seen
            if value is not ABSENT and value != due:
                yield _fault("/".join((place, *pointer)), f"{value!r} should be {due}")

    def _keep_order(self, item: Any, place: str) -> Iterator[Fault]:
        for number, rule in enumerate(self._laws.once):
            if rule.allows(item):
                self._num_once[number] += 1
                if self._num_once[number] > 1:
                    yield _fault(place, "It comes once, and came before")
        for phase, rule in enumerate(self._laws.order):
            if rule.allows(item):
                if phase < self._phase:
                    yield _fault(place, "It comes after what it should stand before")
                self._phase = max(phase, self._phase)


class _Parts:
    """The sequences that share another's items."""

    def __init__(self, laws: PartLaws, request: Any) -> None:
        self._laws = laws
        self._request = request
        self._sequences: dict[int, Sequence] = {}

    def take(self, item: Any, place: str) -> Iterator[Fault]:
        held = look_up(item, self._laws.at)
        place = "/".join((place, *self._laws.at))
        if isinstance(held, list):
            for position, part in enumerate(held):
                yield from self._take(part, f"{place}/{position}")
        elif held is not ABSENT:
            yield from self._take(held, place)

    def _take(self, part: Any, place: str) -> Iterator[Fault]:
        number = look_up(part, self._laws.by)
        if type(number) is int:  # what has no number is of none of them
            if number not in self._sequences:
                self._sequences[number] = Sequence(self._laws.laws, self._request)
            yield from self._sequences[number].take(part, place)

    def end(self, place: str) -> Iterator[Fault]:
        place = "/".join((place, *self._laws.at))
        if sorted(self._sequences) != list(range(len(self._sequences))):
            yield _fault(place, f"The numbers {sorted(self._sequences)} do not count from 0")
        if self._laws.num is not None:
            num = look_up(self._request, self._laws.num)
            due = num if type(num) is int else 1
            if len(self._sequences) != due:
                yield _fault(place, f"There are {len(self._sequences)}, not {due}")
        for number, sequence in self._sequences.items():
            yield from sequence.end(f"{place} number {number}")


def _fault(place: str, message: str) -> Fault:
    return Fault("stream", place, message)


def _of_laws(faults: list[Fault]) -> Iterator[Fault]:
    return (_fault(place, message) for _, place, message in faults)
