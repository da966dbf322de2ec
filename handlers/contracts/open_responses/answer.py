"""OpenAI's responses and events in the form of this contract."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, TypeAdapter

from generated.open_responses import models as m
from handlers.contracts.openai.responses.answer.events import ResponseEvent as OpenAIEvent
from verbatim_kit.runtime.operation import EncodedEvent

ResponseEvent: TypeAlias = m.ResponseStreamingEvent | EncodedEvent

_EVENT: Final = TypeAdapter[m.ResponseStreamingEvent](m.ResponseStreamingEvent)
_THOUGHTS: Final = b'{"type":"response.reasoning_text.'
_OWN_THOUGHTS: Final = b'{"type":"response.reasoning.'
_RENAMED: Final[Mapping[str, str]] = {"response.reasoning_text.done": "response.reasoning.done"}


def own_response(response: BaseModel) -> m.ResponseResource:
    """Return OpenAI's response in this contract's form, which has none of the fields that are not its own."""
    return m.ResponseResource.model_validate(_response(response.model_dump(by_alias=True)))


def own_event(event: OpenAIEvent) -> ResponseEvent:
    """Return OpenAI's event in this contract's form."""
    if isinstance(event, bytes):
        return EncodedEvent(_OWN_THOUGHTS + event.removeprefix(_THOUGHTS)) if _has_thoughts(event) else event
    fields = event.model_dump(by_alias=True)
    fields["type"] = _RENAMED.get(fields["type"], fields["type"])
    if "response" in fields:
        fields["response"] = _response(fields["response"])
    if "item" in fields:
        fields["item"] = _item(fields["item"])
    return _EVENT.validate_python(fields)


def _has_thoughts(event: bytes) -> bool:
    return event.startswith(_THOUGHTS)


def _response(response: dict[str, Any]) -> dict[str, Any]:
    text = {name: value for name, value in response["text"].items() if value is not None}
    if text["format"]["type"] == "json_schema":
        text["format"] = {**text["format"], "strict": bool(text["format"]["strict"])}
    return {
        **response,
        "output": [_item(item) for item in response["output"]],
        "text": text,
    }


def _item(item: dict[str, Any]) -> dict[str, Any]:
    """Return the item without what is null, which no field of this contract's items may be."""
    return {name: value for name, value in item.items() if value is not None}
