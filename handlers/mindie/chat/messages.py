"""A conversation of the wire in neutral terms."""

from collections.abc import Sequence
from typing import Final

from generated.mindie import models as m
from handlers.chat.messages import ChatMessage, ContentPart, MediaKind, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation
from handlers.wire.missing import given

Message = m.SystemMessage | m.UserMessage | m.AssistantMessage | m.ToolMessage

_MAX_CHARACTERS: Final = 4 * 2**20  # "4 MB" of characters, in all messages together
_MEDIA: Final = {
    "image_url": MediaKind.IMAGE,
    "video_url": MediaKind.VIDEO,
    "audio_url": MediaKind.AUDIO,
}


def conversation(messages: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """Raises Refused for a message or a part of one that holds nothing, and for too much or no text."""
    read = tuple(_message(message, f"messages[{place}]") for place, message in enumerate(messages))
    num_characters = sum(_num_characters(message.content) for message in read)
    if not 0 < num_characters <= _MAX_CHARACTERS:
        raise Refused(
            f"`messages` must have from 1 to {_MAX_CHARACTERS} characters. Given: {num_characters}",
            "messages",
            Violation.TOO_LONG if num_characters else Violation.TOO_SHORT,
        )
    return read


def _message(message: Message, field: str) -> ChatMessage:
    if isinstance(message, m.AssistantMessage):
        return _assistant(message, field)
    return ChatMessage(
        role=message.role,
        content=_content(message.content, f"{field}.content"),
        tool_call_id=message.tool_call_id if isinstance(message, m.ToolMessage) else None,
    )


def _assistant(message: m.AssistantMessage, field: str) -> ChatMessage:
    if message.content is None and not message.tool_calls:
        raise Refused(f"`{field}` has neither `content` nor `tool_calls`", f"{field}.content")
    return ChatMessage(
        role=message.role,
        content=None if message.content is None else _content(message.content, f"{field}.content"),
        reasoning=message.reasoning_content,
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
            for call in message.tool_calls or ()
        ),
    )


def _content(content: str | Sequence[m.ContentPart], field: str) -> str | tuple[ContentPart, ...]:
    if isinstance(content, str):
        return content
    return tuple(_part(part, f"{field}[{place}]") for place, part in enumerate(content))


def _part(part: m.ContentPart, field: str) -> ContentPart:
    """Tell the kind of a part by its type, or by its members if it has none."""
    held = {name: value for name in ("text", *_MEDIA) if (value := given(getattr(part, name))) is not None}
    kind = given(part.type) or next(iter(held), "text")
    if kind not in held:
        raise Refused(f"`{field}` has no `{kind}`", f"{field}.{kind}", Violation.MISSING)
    value = held[kind]
    if kind == "text":
        return TextPart(value)
    return MediaPart(_MEDIA[kind], value.url if isinstance(value, m.MediaUrl) else value)


def _num_characters(content: str | tuple[ContentPart, ...] | None) -> int:
    if content is None or isinstance(content, str):
        return len(content or "")
    return sum(len(part.text) if isinstance(part, TextPart) else len(part.source) for part in content)
