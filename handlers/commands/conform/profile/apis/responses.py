"""The checks of OpenAI's Responses API."""

from collections.abc import Iterator, Sequence
from typing import Final

from handlers.commands.conform.profile.apis.usage import length_breaches
from handlers.commands.conform.profile.events import Event
from handlers.commands.conform.profile.turn import Breach, Call, SentBody, Turn, turn_breaches
from verbatim_kit.conform.document import Json

_ENDS: Final = ("response.completed", "response.incomplete")
_END: Final = "Codex fails with: stream closed before response.completed"
_DELTAS: Final = ("response.output_text.delta", "response.function_call_arguments.delta")
_IDS: Final = "Clients append a delta to the item with its id, and fail if no item with that id has begun"
_FINAL: Final = "Clients that keep the items of a stream refer to them by these ids in the next request"


def whole_breaches(sent: SentBody, answer: Json) -> Iterator[Breach]:
    yield from _answer_breaches(sent, answer)


def stream_breaches(sent: SentBody, events: Sequence[Event]) -> Iterator[Breach]:
    values = [event.data for event in events]
    kinds = [value["type"] for value in values]
    if kinds[:1] != ["response.created"]:
        yield Breach("The stream does not begin with response.created", " ".join(kinds[:3]), _IDS)
    if not kinds or kinds[-1] not in _ENDS:
        yield Breach("The stream does not end with response.completed", " ".join(kinds[-3:]), _END)
        return
    final = values[-1]["response"]
    yield from _id_breaches(values, final)
    yield from _text_breaches(values, final)
    yield from _answer_breaches(sent, final)


def _id_breaches(values: Sequence[Json], final: Json) -> Iterator[Breach]:
    answers = {value["response"]["id"] for value in values if isinstance(value.get("response"), dict)}
    if len(answers) > 1:
        yield Breach("The events of one answer have different ids", ", ".join(sorted(answers)), _FINAL)
    begun: dict[int, str] = {}
    done: dict[int, str] = {}
    for value in values:
        match value["type"]:
            case "response.output_item.added":
                begun[value["output_index"]] = value["item"].get("id")
            case "response.output_item.done":
                done[value["output_index"]] = value["item"].get("id")
            case kind if kind in _DELTAS and value.get("item_id") not in begun.values():
                message = f"{kind} has the item_id {value.get('item_id')!r}; known: {list(begun.values())}"
                yield Breach("A delta is for an item that has not begun", message, _IDS)
    if begun != done:
        message = f"added: {begun}, done: {done}"
        yield Breach("The items that are done are not those that were added", message, _FINAL)
    ids = [item.get("id") for item in final["output"]]
    if done and ids != [identity for _, identity in sorted(done.items())]:
        message = f"streamed: {list(done.values())}, final: {ids}"
        yield Breach("The final answer has other items than the stream", message, _FINAL)


def _text_breaches(values: Sequence[Json], final: Json) -> Iterator[Breach]:
    streamed = "".join(value["delta"] for value in values if value["type"] == "response.output_text.delta")
    if streamed != _text(final):
        message = f"streamed: {streamed[:200]!r}, final: {_text(final)[:200]!r}"
        why = "A user sees the streamed text, and the next request has that of the final answer"
        yield Breach("The streamed text differs from that of the final answer", message, why)


def _answer_breaches(sent: SentBody, answer: Json) -> Iterator[Breach]:
    calls = tuple(
        Call(item.get("call_id"), item.get("name"), item.get("arguments"))
        for item in answer["output"]
        if item["type"] == "function_call"
    )
    yield from turn_breaches(sent, Turn(_text(answer), calls, answer.get("status") == "incomplete", None))
    if answer.get("usage"):
        yield from length_breaches(sent, answer["usage"]["output_tokens"])


def _text(answer: Json) -> str:
    return "".join(
        part.get("text") or ""
        for item in answer["output"]
        if item["type"] == "message"
        for part in item["content"]
    )
