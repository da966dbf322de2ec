"""The changes in the order of events that a document excludes, derived from `x-stream` without the judge."""

from collections.abc import Callable
from math import nan
from typing import Any

from verbatim_kit.generate.documents.document import Schema
from verbatim_kit.json_pointer import look_up, steps_of
from verbatim_kit.mutate.mutants.wire import WireEvent

Admits = Callable[[Any, Any], bool]

# The excuse for an event that is neither the first nor the last and has no number.
UNNUMBERED = "an event in the middle of a stream whose events the document does not number"


def excuse_for_loss(media: Schema, events: list[WireEvent], at: int, admits: Admits) -> str | None:
    """Return the reason that a stream without an event is still valid; None if it is not.

    admits: returns whether a schema allows a value.
    """
    if at + 1 < len(events) and is_failure(events[at + 1]):
        return "the last event before a failure, which may come at any place"
    return excuse_for_double(media, events, at, admits)


def excuse_for_double(media: Schema, events: list[WireEvent], at: int, admits: Admits) -> str | None:
    """Return the reason that a stream with a duplicated event is still valid; None if it is not."""
    laws = media.get("x-stream", [])
    matters = (
        any(law.get("counts") for law in laws)
        or _is_end(media, events, at)
        or any(admits(schema, events[at].data) for law in laws for schema in law.get("once", []))
        or any(_is_repeated(law, texts, events, at, admits) for law in laws for texts in _joined(law))
        or any(
            _is_end_of_part(law, number, events, at)
            for law in _parts(laws)
            for number in _numbers(law, events[at].data)
        )
    )
    return None if matters else UNNUMBERED


def excuse_for_swap(media: Schema, events: list[WireEvent], at: int, admits: Admits) -> str | None:
    """Return the reason that a stream with two exchanged events is still valid; None if it is not."""
    laws = media.get("x-stream", [])
    if any(law.get("counts") for law in laws) or _is_end(media, events, at) or _is_end(media, events, at + 1):
        return None
    if any(_phase(law, events[at], admits) < _phase(law, events[at + 1], admits) for law in laws):
        return None
    both = [
        texts
        for law in laws
        for texts in _joined(law)
        if all(_is_repeated(law, texts, events, here, admits) for here in (at, at + 1))
    ]
    if any(_piece(texts, events[at]) != _piece(texts, events[at + 1]) for texts in both):
        return None
    shared = [
        (law, number)
        for law in _parts(laws)
        for number in _numbers(law, events[at].data) & _numbers(law, events[at + 1].data)
    ]
    of_both = any(
        _is_end_of_part(law, number, events, here) for law, number in shared for here in (at, at + 1)
    )
    return None if of_both else UNNUMBERED


def is_repeated(media: Schema, events: list[WireEvent], at: int, place: str, admits: Admits) -> bool:
    """Return whether the text at a place of an event occurs both in pieces and as a whole in the stream."""
    laws = media.get("x-stream", [])
    held = [(law, texts) for law in (*laws, *_parts(laws)) for texts in _joined(law)]
    return any(
        (f"/{place}" == texts["of"] and _is_repeated(law, texts, events, at, admits))
        or f"/{place}" == texts["whole"]
        for law, texts in held
    )


def _joined(law: Any) -> list[Any]:
    return [{"whole": whole, **texts} for whole, texts in law.get("joined", {}).items()]


def _piece(texts: Any, event: WireEvent) -> Any:
    return look_up(event.data, steps_of(texts["of"]))


def _is_repeated(law: Any, texts: Any, events: list[WireEvent], at: int, admits: Admits) -> bool:
    """Return whether an event has a piece of a text that this or a later event has as a whole."""
    piece, event = _piece(texts, events[at]), events[at]
    if not isinstance(piece, str) or not piece or not admits(texts.get("where", True), event.data):
        return False
    own = _numbers(law, event.data) if "by" in law else set()
    return any(
        isinstance(look_up(later.data, steps_of(texts["whole"])), str)
        and ("by" not in law or own & _numbers(law, later.data))
        for later in events[at:]
    )


def _phase(law: Any, event: WireEvent, admits: Admits) -> float:
    """Return the phase of the law that an event belongs to; NaN if it may occur anywhere."""
    found = [phase for phase, schema in enumerate(law.get("order", [])) if admits(schema, event.data)]
    return found[0] if found else nan


def _is_end(media: Schema, events: list[WireEvent], at: int) -> bool:
    """Return whether an event is the terminator, a failure, or the first or last event under some law."""
    laws = media.get("x-stream", [])
    data = [event for event in events if event.text != media.get("x-sse-terminator")]
    if events[at].text == media.get("x-sse-terminator"):
        return True
    begins = at == 0 and any("first" in law for law in laws)
    ends = at == len(data) - 1 and any("last" in law for law in laws)
    return is_failure(events[at]) or begins or ends


def is_failure(event: WireEvent) -> bool:
    """Return whether an event reports a failure, after which a stream may be incomplete."""
    return isinstance(event.data, dict) and (
        "error" in event.data or event.data.get("type") in ("error", "response.failed")
    )


def _parts(laws: list[Any]) -> list[Any]:
    return [part for law in laws for part in (*law.get("parts", []), *_parts(law.get("parts", [])))]


def _items(part: Any, data: Any) -> list[Any]:
    """Return the outermost items of an event; nested ones are covered by the judge's own tests."""
    for step in part["at"].split("/")[1:]:
        data = data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, list) else [data]


def _numbers(part: Any, data: Any) -> set[int]:
    name = part["by"].removeprefix("/")
    return {item[name] for item in _items(part, data) if isinstance(item, dict) and name in item}


def _is_end_of_part(part: Any, number: int, events: list[WireEvent], at: int) -> bool:
    places = [here for here, event in enumerate(events) if number in _numbers(part, event.data)]
    is_whole = not any(is_failure(event) for event in events)
    return ("first" in part and at == places[0]) or ("last" in part and is_whole and at == places[-1])
