"""A conversation of the wire in neutral terms."""

import re
from collections.abc import Sequence
from typing import Final

from engine.port.request import MediaKind
from generated.mindie import models as m
from handlers.chat.media import media_parts
from handlers.chat.messages import ChatMessage, Content, ContentPart, MediaPart, TextPart
from handlers.chat.prompt.conversation import flatten
from handlers.chat.tools import ToolCall
from handlers.media.data_url import data_url, is_data_url
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

Message = m.SystemMessage | m.UserMessage | m.AssistantMessage | m.ToolMessage

_MAX_CHARACTERS: Final = 4 * 2**20  # "4 MB" of characters, in all messages together
_MAX_MEDIA: Final = 20
_MAX_URL: Final = 4096  # characters; a data URL is no address
_MEDIA: Final = {
    "image_url": MediaKind.IMAGE,
    "video_url": MediaKind.VIDEO,
    "audio_url": MediaKind.AUDIO,
    "input_audio": MediaKind.AUDIO,
}
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)  # which base64 cannot hold


def conversation(messages: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """Return the neutral conversation.

    Raises Refused for a message or a part of one that holds nothing, for too much text or neither text nor
    media, and for too many media or too long a URL.
    """
    read = tuple(_message(message, f"messages[{place}]") for place, message in enumerate(messages))
    num_characters = sum(_num_characters(message.content) for message in read)
    media = media_parts(read)
    if num_characters > _MAX_CHARACTERS or not (num_characters or media):
        raise Refused(
            f"`messages` must have from 1 to {_MAX_CHARACTERS} characters. Given: {num_characters}",
            "messages",
            Violation.TOO_LONG if num_characters else Violation.TOO_SHORT,
        )
    _check_media(media)
    return read


def _check_media(media: Sequence[MediaPart]) -> None:
    for part in media:
        if len(part.source) > _MAX_URL and not is_data_url(part.source):
            message = f"`{part.place}` must have at most {_MAX_URL} characters. Given: {len(part.source)}"
            raise Refused(message, part.place, Violation.TOO_LONG)
    if len(media) > _MAX_MEDIA:
        raise Refused(
            f"`messages` must have at most {_MAX_MEDIA} media. Given: {len(media)}",
            media[_MAX_MEDIA].place,
            Violation.TOO_LONG,
        )


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


def _content(content: str | Sequence[m.ContentPart], field: str) -> Content:
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
    return MediaPart(_MEDIA[kind], _source(value), field)


def _source(value: str | m.MediaUrl | m.InputAudio) -> str:
    """Return a URL or a data URL. What is no URL is the content itself, in base64."""
    match value:
        case m.InputAudio():
            return data_url(value.data)
        case m.MediaUrl():
            return _source(value.url)
        case _:
            return value if _SCHEME.match(value) else data_url(value)


def _num_characters(content: Content) -> int:
    return len(flatten(content))
