"""The check of a stream while it is sent."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.json_text import NotJson, read_json
from verbatim_kit.judge.schemas import Rule
from verbatim_kit.judge.streams.event_reader import Event, EventReader
from verbatim_kit.judge.streams.laws import StreamLaws
from verbatim_kit.judge.streams.line_reader import LineReader
from verbatim_kit.judge.streams.sequence import Sequence


@dataclass(frozen=True, slots=True)
class EventRules:
    """A document's rules of one stream.

    has_lines: whether its items are lines, rather than events. event: the rule of an item's data. name: the
    property whose text names an event. terminator: the data of the last event.
    """

    has_lines: bool
    event: Rule
    name: str | None
    terminator: str | None
    laws: tuple[StreamLaws, ...]


class StreamJudge:
    """The check of one stream. request: the request's body as parsed JSON; None if there is none."""

    def __init__(self, rules: EventRules, request: Any) -> None:
        self._rules = rules
        self._reader = LineReader() if rules.has_lines else EventReader()
        self._num_events = 0
        self._is_terminated = False
        self._has_failed = False
        held = [law for law in rules.laws if law.when is None or law.when.allows(request)]
        self._failures = [law.failure for law in held if law.failure is not None]
        self._sequences = [Sequence(law.laws, request) for law in held]

    def feed(self, piece: bytes) -> list[Fault]:
        """Return the faults of the events that the piece completes."""
        return [fault for found in self._reader.feed(piece) for fault in self._judge(found)]

    def end(self) -> list[Fault]:
        """Return the faults of a stream that ends here."""
        faults = [fault for found in self._reader.end() for fault in self._judge(found)]
        if self._rules.terminator is not None and not self._is_terminated:
            faults.append(Fault("terminator", "body", f"No event {self._rules.terminator} ends the stream"))
        if not self._has_failed:
            faults += [fault for sequence in self._sequences for fault in sequence.end("body")]
        return faults

    def _judge(self, found: Event | Fault) -> Iterator[Fault]:
        if isinstance(found, Fault):
            yield found
            return
        place = f"{self._reader.item} {self._num_events}"
        self._num_events += 1
        if self._is_terminated:
            yield Fault("terminator", place, "It comes after the event that ends the stream")
        elif found.data == self._rules.terminator:
            self._is_terminated = True
            yield from self._judge_name(found.name, None, place)
        else:
            yield from self._judge_data(found, place)

    def _judge_data(self, event: Event, place: str) -> Iterator[Fault]:
        if self._has_failed:
            yield Fault("stream", place, "It comes after the event that reports a failure")
        try:
            data = read_json(event.data.encode())
        except NotJson as error:
            yield Fault("json", place, str(error))
            return
        yield from self._judge_name(event.name, data, place)
        yield from self._rules.event.faults(data, place)
        if any(failure.allows(data) for failure in self._failures):
            self._has_failed = True
            return
        for sequence in self._sequences:
            yield from sequence.take(data, place)

    def _judge_name(self, name: str | None, data: Any, place: str) -> Iterator[Fault]:
        due = data.get(self._rules.name) if self._rules.name and isinstance(data, dict) else None
        if name != due:
            yield Fault("event-name", place, f"The event is named {name!r}, not {due!r}")
