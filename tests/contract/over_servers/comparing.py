"""Two answers to one request beside each other, without what each has for itself: ids and times."""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import httpx

from handlers.commands.conform.contracts import contract_named
from tests.contract.requests.documented import Asked
from verbatim_kit.judge.exchange import Exchange
from verbatim_kit.judge.judge import Judge

_IDS: Final = ("id", "item_id", "call_id", "tool_call_id", "request_id", "system_fingerprint")
# Of steps, batches and queues, which belong to the process that computes.
_OWN: Final = re.compile(r"created|created_at|completed_at|.*(?:time|_ms|_per_second|queue_s|batch_size).*")
_COUNTS: Final = re.compile(r".*\.(?:prompt_tokens|input_tokens|prefill|_input_token_len|num_tokens_prompt)")
_EVENTS: Final = "text/event-stream"


class Answer(NamedTuple):
    """parts: the body's JSON, or that of each event, with the event's name; or the text that is neither."""

    status: int
    media_type: str
    parts: tuple[Any, ...]


def read(asked: Asked, answer: httpx.Response) -> Answer:
    """Read an answer so that two of them have equal parts in one order.

    Sequences of one request are computed side by side: an order is known in each of them alone, and what an
    event says of the others is not known.
    """
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    if media_type == _EVENTS:
        frames = answer.text.split("\n\n")  # comments among them, of a server that was busy
        events = [_event(frame) for frame in frames if frame and not frame.startswith(":")]
        return Answer(answer.status_code, media_type, tuple(_in_order(asked, events)))
    is_json = media_type == "application/json" and answer.content
    return Answer(answer.status_code, media_type, (answer.json() if is_json else answer.text,))


def _event(frame: str) -> Any:
    *name, data = frame.splitlines()
    data = data.removeprefix("data:").strip()
    return [name, json.loads(data) if data.startswith("{") else data]


def _in_order(asked: Asked, events: list[Any]) -> list[Any]:
    has_several = asked.request.body.get("sampling_params", asked.request.body).get("n", 1) > 1
    if has_several and asked.contract == "triton":  # whose events do not say of which sequence they are
        return sorted(data["text_output"] for _, data in events)
    if has_several and asked.contract == "tokens":
        events = [[name, _without_usage(data)] for name, data in events]
    return sorted(events, key=_index)


def _without_usage(data: Any) -> Any:
    return {**data, "usage": None} if isinstance(data, dict) and data["choices"] else data


def _index(event: Any) -> float:
    """Return the sequence that an event is of; one that is of none begins the stream, or ends it."""
    data = event[1]
    if not isinstance(data, dict) or data.get("type") == "completion_summary":
        return math.inf
    if data.get("type") in ("stream_chunk", "stream_summary"):  # Aleph Alpha's
        return float(data["index"])
    if "choices" not in data:
        return 0.0
    return float(data["choices"][0]["index"]) if data["choices"] else math.inf


def difference(found: Answer, expected: Answer, tolerance: float) -> str | None:
    """Return the first difference, with its place; None if there is none. tolerance: of fractions."""
    if found[:2] != expected[:2]:
        return f"{found[:2]} for {expected[:2]}: {str(found.parts)[:500]}"
    ours, others = list(_leaves(found.parts)), list(_leaves(expected.parts))
    for (place, one), (other_place, other) in zip(ours, others, strict=False):
        if place != other_place:
            return f"{place} for {other_place}"
        if not _is_own(place, one, other) and not _are_same(one, other, tolerance):
            return f"{place}: {one!r} for {other!r}"
    if len(ours) != len(others):
        return f"{len(ours)} values for {len(others)}"
    return None


def difference_in_form(found: Answer, expected: Answer) -> str | None:
    """Return the first difference beside the tokens that were drawn, and what follows from them."""
    if found[:2] != expected[:2]:
        return f"{found[:2]} for {expected[:2]}: {str(found.parts)[:500]}"
    ours, others = _counts(found), _counts(expected)
    return None if ours == others else f"{ours} for {others}"


def faults(asked: Asked, answer: httpx.Response) -> list[str]:
    """Return what an answer has that its contract's document does not state."""
    exchange = Exchange(
        asked.request.method,
        asked.request.path.partition("?")[0],
        asked.request.content,
        answer.status_code,
        tuple((name.lower(), value) for name, value in answer.headers.multi_items()),
        answer.content,
    )
    return [f"{fault.place}: {fault.message}" for fault in _judge(asked.contract).faults(exchange)]


@cache
def _judge(contract: str) -> Judge:
    return Judge(contract_named(contract).document)


def _counts(answer: Answer) -> dict[str, Any]:
    """Return the numbers of the prompt's tokens, by their last names, as the latest part reports them."""
    found = ((place.rpartition(".")[2], value) for place, value in _leaves(answer.parts) if value is not None)
    return {key: value for key, value in found if _COUNTS.fullmatch(f".{key}")}


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all values that hold no others, empty ones too, each with its place; also those in JSON texts."""
    if isinstance(value, str) and value.startswith(("{", "[")):
        value = _in_text(value)
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from _leaves(member, f"{place}.{key}")
    elif isinstance(value, list | tuple) and value:
        for number, item in enumerate(value):
            yield from _leaves(item, f"{place}[{number}]")
    else:
        yield place, value


def _in_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_own(place: str, one: object, other: object) -> bool:
    """Return whether two values are of a kind, in a place where no two answers have the same."""
    key = place.rpartition(".")[2].partition("[")[0]
    if isinstance(one, str) and isinstance(other, str):
        return key in _IDS and bool(one) and bool(other)
    return type(one) is type(other) and _OWN.fullmatch(key) is not None


def _are_same(one: object, other: object, tolerance: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return one == other and type(one) is type(other)
