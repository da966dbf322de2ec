"""The checks of OpenAI's chat completions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from handlers.commands.conform.profile.apis.usage import usage_breaches
from handlers.commands.conform.profile.events import Event
from handlers.commands.conform.profile.turn import Breach, Call, SentBody, Turn, turn_breaches
from verbatim_kit.conform.document import Json

_CALLS: Final = ("tool_calls", "function_call")


def whole_breaches(sent: SentBody, answer: Json) -> Iterator[Breach]:
    for choice in answer["choices"]:
        message = choice["message"]
        calls = tuple(
            Call(call.get("id"), call["function"].get("name"), call["function"].get("arguments"))
            for call in message.get("tool_calls") or ()
        )
        yield from turn_breaches(sent, _turn(message.get("content") or "", calls, choice["finish_reason"]))


def stream_breaches(sent: SentBody, events: Sequence[Event]) -> Iterator[Breach]:
    chunks = [event.data for event in events]
    ids = {chunk["id"] for chunk in chunks}
    if len(ids) > 1:
        message = ", ".join(sorted(ids)[:3])
        yield Breach("The chunks of one answer have different ids", message, "Clients join chunks by id")
    yield from usage_breaches(sent, chunks)
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    for index in sorted({choice["index"] for choice in choices}):
        yield from _choice_breaches(sent, [choice for choice in choices if choice["index"] == index])


def _choice_breaches(sent: SentBody, pieces: Sequence[Json]) -> Iterator[Breach]:
    reasons = [piece["finish_reason"] for piece in pieces if piece.get("finish_reason")]
    if not reasons:
        yield Breach(
            "No chunk has a finish_reason", f"There are {len(pieces)} chunks", "It marks the end of the turn"
        )
        return
    deltas = [piece.get("delta") or {} for piece in pieces]
    content = "".join(delta.get("content") or "" for delta in deltas)
    heads: dict[int, Json] = {}
    arguments: dict[int, str] = defaultdict(str)
    for part in (part for delta in deltas for part in delta.get("tool_calls") or ()):
        index = part["index"]
        if index not in heads:
            heads[index] = part
            yield from _head_breaches(part)
        arguments[index] += (part.get("function") or {}).get("arguments") or ""
    calls = tuple(
        Call(head.get("id"), (head.get("function") or {}).get("name"), arguments[index])
        for index, head in sorted(heads.items())
    )
    yield from turn_breaches(sent, _turn(content, calls, reasons[-1]))


def _head_breaches(part: Json) -> Iterator[Breach]:
    """Yield the breach of a call's first chunk. A missing id or name is found by `turn_breaches`."""
    if part.get("type") != "function":
        message = f"The type is {part.get('type')!r}"
        why = "The AI SDK fails with: Expected 'function' type."
        yield Breach("The first chunk of a call does not have the type 'function'", message, why)


def _turn(text: str, calls: tuple[Call, ...], reason: Any) -> Turn:
    return Turn(text, calls, reason == "length", reason in _CALLS)
