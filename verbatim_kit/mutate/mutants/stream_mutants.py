"""Mutants of a stream: of its events, or lines, their order, framing and end."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.generate.documents.document import Schema
from verbatim_kit.json_pointer import look_up
from verbatim_kit.mutate.mutants.declared import Reading
from verbatim_kit.mutate.mutants.order import (
    excuse_for_double,
    excuse_for_loss,
    excuse_for_swap,
    is_failure,
    is_repeated,
)
from verbatim_kit.mutate.mutants.seen import Seen
from verbatim_kit.mutate.mutants.value_mutants import value_mutants
from verbatim_kit.mutate.mutants.wire import WireEvent, frames

_NUM_PLACES: Final = 3  # events at each end of a stream that are mutated; those between are similar

_OF_WHOLE_ARRAYS: Final = ("item doubled", "items reordered")


class BodyMutant(NamedTuple):
    """A corrupted body. excuse: as in ValueMutant."""

    kind: str
    place: str
    body: bytes
    excuse: str | None


def stream_mutants(
    events: list[WireEvent], media: Schema, reading: Reading, seen: Seen, known: set[Any]
) -> Iterator[BodyMutant]:
    """Yield the mutants of a stream of events, or of lines.

    media: the media type object of the stream. known: shapes of events whose data has been mutated already.
    """
    yield from _of_data(events, media, reading, seen, known)
    yield from _of_order(events, media, reading)
    if events and events[0].is_line:
        yield from _of_lines(events)
    else:
        yield from _of_names(events, media)
        yield from _of_end(events, media)
        yield from _of_framing(events)
    yield from _of_identity(events)


def shape(value: Any) -> Any:
    """Return the structure of a value; of an array, that of its first item."""
    if isinstance(value, dict):
        return tuple((name, shape(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return ("list", *(shape(inner) for inner in value[:1]))
    return type(value).__name__


def _of_data(
    events: list[WireEvent], media: Schema, reading: Reading, seen: Seen, known: set[Any]
) -> Iterator[BodyMutant]:
    for at, event in enumerate(events):
        if event.data is None or shape(event.data) in known:
            continue
        known.add(shape(event.data))
        for kind, place, value, excuse in value_mutants(event.data, media["schema"], reading, seen):
            if kind in _OF_WHOLE_ARRAYS:
                continue  # the index in an event distinguishes sequences and is not a position in the array
            if kind == "number changed":
                excuse = _excuse_for_number(events, at, place)
            if kind == "text changed" and is_repeated(media, events, at, place, reading.admits_value):
                excuse = None
            text = json.dumps(value)
            yield BodyMutant(
                kind, f"event {at}/{place}", _replaced(events, at, event._replace(text=text)), excuse
            )


def _excuse_for_number(events: list[WireEvent], at: int, place: str) -> str | None:
    """Return the reason that an event with another index is still valid; None if it is not."""
    if any(is_failure(event) for event in events):
        return "a sequence of a stream that fails need not be whole"
    pointer = tuple(place.split("/"))
    num_here = len(look_up(events[at].data, pointer))
    others = (items for event in events if isinstance(items := look_up(event.data, pointer), list))
    is_told = any(item["index"] == num_here for items in others for item in items)
    return "the number of another sequence of the same stream" if is_told else None


def _of_order(events: list[WireEvent], media: Schema, reading: Reading) -> Iterator[BodyMutant]:
    last = len(events) - 1
    for at in sorted({*range(_NUM_PLACES), *range(last - _NUM_PLACES, last + 1)} & set(range(last + 1))):
        place = f"event {at}"
        lost, doubled = [*events[:at], *events[at + 1 :]], [*events[: at + 1], *events[at:]]
        admits = reading.admits_value
        yield BodyMutant("event lost", place, frames(lost), excuse_for_loss(media, events, at, admits))
        yield BodyMutant(
            "event doubled", place, frames(doubled), excuse_for_double(media, events, at, admits)
        )
        if at < last:
            swapped = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
            excuse = excuse_for_swap(media, events, at, admits)
            yield BodyMutant("events reordered", place, frames(swapped), excuse)


def _of_names(events: list[WireEvent], media: Schema) -> Iterator[BodyMutant]:
    is_named = "x-sse-event-name" in media
    for at in {0, len(events) - 1}:
        for name in ("verbatim-mutant", *((None,) if is_named else ())):
            changed = _replaced(events, at, events[at]._replace(name=name))
            yield BodyMutant("event name wrong", f"event {at}", changed, None)


def _of_end(events: list[WireEvent], media: Schema) -> Iterator[BodyMutant]:
    terminator = media.get("x-sse-terminator")
    another = WireEvent(None, "[END]", None)
    if terminator is None:
        added = WireEvent(None, "[DONE]", None)
        yield BodyMutant("terminator added", "end", frames([*events, added]), None)
        return
    yield BodyMutant("terminator missing", "end", frames(events[:-1]), None)
    yield BodyMutant("terminator doubled", "end", frames([*events, events[-1]]), None)
    yield BodyMutant("terminator wrong", "end", frames([*events[:-1], another]), None)
    yield BodyMutant("terminator wrong", "begin", frames([events[-1], *events[:-1]]), None)


def _of_framing(events: list[WireEvent]) -> Iterator[BodyMutant]:
    whole = frames(events)
    yield BodyMutant("body truncated", "in the last event", whole[:-3], None)
    yield BodyMutant("body truncated", "before its last line end", whole[:-1], None)
    yield BodyMutant("framing broken", "no data:", whole.replace(b"data: ", b"", 1), None)
    yield BodyMutant("framing broken", "another field", b"id: 1\n" + whole, None)
    yield BodyMutant("framing broken", "not UTF-8", whole.replace(b"data: ", b"data: \xff", 1), None)
    if len(events) > 1:
        joined = events[0].frame()[:-1] + frames(events[1:])
        yield BodyMutant("framing broken", "two events in one", joined, None)


def _of_lines(events: list[WireEvent]) -> Iterator[BodyMutant]:
    whole = frames(events)
    yield BodyMutant("body truncated", "in the last line", whole[:-3], None)
    yield BodyMutant("body truncated", "before its last line end", whole[:-1], None)
    yield BodyMutant("framing broken", "not UTF-8", b"\xff" + whole, None)
    yield BodyMutant("framing broken", "an empty line", b"\n" + whole, None)
    yield BodyMutant("framing broken", "as an event", b"data: " + whole, None)
    if len(events) > 1:
        joined = events[0].frame()[:-1] + frames(events[1:])
        yield BodyMutant("framing broken", "two lines in one", joined, None)


def _of_identity(events: list[WireEvent]) -> Iterator[BodyMutant]:
    """Yield mutants of ids: values that are equal in all events but not constants."""
    contents = [event.data for event in events if isinstance(event.data, dict) and "error" not in event.data]
    if len(contents) < 3:
        return
    at = next(here for here, event in enumerate(events) if event.data is contents[1])
    for name, value in contents[1].items():
        if (isinstance(value, str) or name == "created") and all(
            data.get(name) == value for data in contents
        ):
            other = f"{value}x" if isinstance(value, str) else value + 1
            text = json.dumps({**contents[1], name: other})
            changed = _replaced(events, at, events[at]._replace(text=text))
            yield BodyMutant("identity changed", f"event {at}/{name}", changed, None)


def _replaced(events: list[WireEvent], at: int, event: WireEvent) -> bytes:
    return frames([*events[:at], event, *events[at + 1 :]])
