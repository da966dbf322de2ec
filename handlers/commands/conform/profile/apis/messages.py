"""The checks of Anthropic's Messages API."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from handlers.commands.conform.profile.events import Event
from handlers.commands.conform.profile.turn import Breach, Call, SentBody, Turn, turn_breaches
from verbatim_kit.conform.document import Json

_NAMES: Final = "Anthropic's clients dispatch an event by its `event` field, and skip unknown names"
_ORDER: Final = "Anthropic's clients raise an error: Unexpected event order"
_BLOCKS: Final = "Clients append a delta to the open block with its index, and use a block when it stops"


def whole_breaches(sent: SentBody, answer: Json) -> Iterator[Breach]:
    blocks = answer["content"]
    calls = tuple(
        Call(block.get("id"), block.get("name"), block.get("input"))
        for block in blocks
        if block["type"] == "tool_use"
    )
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    yield from turn_breaches(sent, _turn(text, calls, answer["stop_reason"]))


def stream_breaches(sent: SentBody, events: Sequence[Event]) -> Iterator[Breach]:
    wrong = next((event for event in events if event.name != event.data["type"]), None)
    if wrong is not None:
        message = f"The event {wrong.data['type']} is named {wrong.name!r}"
        yield Breach("An event is not named after its type", message, _NAMES)
    values = [event.data for event in events if event.data["type"] != "ping"]
    kinds = [value["type"] for value in values]
    for kind, is_there in (("message_start", kinds[:1]), ("message_stop", kinds[-1:])):
        if is_there != [kind] or kinds.count(kind) != 1:
            shown = " ".join(kinds[:3] + ["..."] + kinds[-3:])
            end = kind.removeprefix("message_")
            yield Breach(f"The stream does not have exactly one {kind}, at its {end}", shown, _ORDER)
    ends = [value for value in values if value["type"] == "message_delta"]
    if not ends or not ends[-1]["delta"].get("stop_reason"):
        why = "Clients read the stop reason and the usage from it"
        yield Breach("No message_delta has a stop_reason", " ".join(kinds[-3:]), why)
        return
    blocks = _Blocks()
    for value in values:
        yield from blocks.breaches(value)
    yield from blocks.end_breaches()
    yield from turn_breaches(sent, _turn(blocks.text, tuple(blocks.calls), ends[-1]["delta"]["stop_reason"]))


class _Blocks:
    """The content blocks of a stream, assembled from its events."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: list[Call] = []
        self._open: dict[int, Json] = {}

    def breaches(self, event: Json) -> Iterator[Breach]:
        """Add the next event; yield a breach if it is out of order."""
        index = event.get("index")
        match event["type"]:
            case "content_block_start":
                if index in self._open:
                    yield Breach("A block starts twice", f"Its index is {index}", _BLOCKS)
                self._open[index] = {"json": "", **event["content_block"]}
            case "content_block_delta":
                if index not in self._open:
                    yield Breach("A delta is for a block that is not open", f"Its index is {index}", _BLOCKS)
                else:
                    self._take(self._open[index], event["delta"])
            case "content_block_stop":
                block = self._open.pop(index, None)
                if block is None:
                    yield Breach("A block stops that is not open", f"Its index is {index}", _BLOCKS)
                elif block["type"] == "tool_use":
                    self.calls.append(Call(block.get("id"), block.get("name"), block["json"] or "{}"))

    def end_breaches(self) -> Iterator[Breach]:
        if self._open:
            yield Breach("A block does not stop", f"Its index is {min(self._open)}", _BLOCKS)

    def _take(self, block: dict[str, Any], delta: Json) -> None:
        block["json"] += delta.get("partial_json", "")
        self.text += delta.get("text", "")


def _turn(text: str, calls: tuple[Call, ...], reason: Any) -> Turn:
    return Turn(text, calls, reason == "max_tokens", reason == "tool_use")
