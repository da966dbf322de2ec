"""Messages and tools in the shape that chat templates read: OpenAI's, with arguments as objects."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, TypeAlias

import msgspec

from engine.port.request import MediaKind
from handlers.chat.errors import InvalidMessage
from handlers.chat.messages import ChatMessage, Content, ContentPart, MediaPart, TextPart
from handlers.chat.tools import ToolCall, ToolDefinition

TemplateMessage: TypeAlias = dict[str, object]
TemplateTool: TypeAlias = dict[str, object]

# The names of thoughts: gpt-oss's templates read the first, all others the second.
THOUGHT_NAMES: Final = ("thinking", "reasoning_content")
NO_PARAMETERS: dict[str, object] = {"type": "object", "properties": {}}


class MediaPlaceholders(msgspec.Struct, frozen=True):
    """The placeholders of images and the like.

    texts: the text that stands for one of each kind. typed: the kinds that the template writes one for
    itself, where a content is a list with a part of that type.
    """

    texts: Mapping[MediaKind, str]
    typed: Collection[MediaKind] = ()


NO_PLACEHOLDERS: Final = MediaPlaceholders({})


def template_messages(
    messages: Sequence[ChatMessage],
    *,
    as_parts: bool = False,
    arguments_as_text: bool = False,
    placeholders: MediaPlaceholders = NO_PLACEHOLDERS,
) -> list[TemplateMessage]:
    """Return the messages for the template.

    as_parts: whether the template reads a content of only text as a list of parts, or as a string.
    arguments_as_text: whether it reads a call's arguments as JSON text, or as an object.
    Raises InvalidMessage where there are none.
    """
    check_some(messages)
    return [
        _template_message(
            message, as_parts=as_parts, arguments_as_text=arguments_as_text, placeholders=placeholders
        )
        for message in messages
    ]


def check_some(messages: Sequence[ChatMessage]) -> None:
    """Raise InvalidMessage if there are no messages."""
    if not messages:
        raise InvalidMessage("a conversation has at least one message", "messages")


def template_tools(tools: Sequence[ToolDefinition]) -> list[TemplateTool]:
    return [{"type": "function", "function": _template_function(tool)} for tool in tools]


def _template_message(
    message: ChatMessage, *, as_parts: bool, arguments_as_text: bool, placeholders: MediaPlaceholders
) -> TemplateMessage:
    converted: TemplateMessage = {
        "role": message.role,
        "content": _template_content(message.content, as_parts=as_parts, placeholders=placeholders),
    }
    if message.reasoning is not None:
        thinking, others = THOUGHT_NAMES
        converted = {thinking: message.reasoning, **converted, others: message.reasoning}
    if message.tool_calls:
        converted["tool_calls"] = [
            _template_call(call, arguments_as_text=arguments_as_text) for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        converted["tool_call_id"] = message.tool_call_id
    if message.name is not None:
        converted["name"] = message.name
    return converted


def flatten(content: Content) -> str:
    """Return the text of a message; "" where it has none, since most templates fail without content."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part.text for part in content if isinstance(part, TextPart))


def joined(contents: Iterable[Content], between: str) -> str | tuple[ContentPart, ...]:
    """Return all contents that hold anything as one, with a text between two of them."""
    full = [content for content in map(_plain, contents) if content]
    if all(isinstance(content, str) for content in full):
        return between.join(map(flatten, full))
    parts: list[ContentPart] = []
    for content in full:
        if parts:
            parts.append(TextPart(between))
        parts += [TextPart(content)] if isinstance(content, str) else content
    return tuple(parts)


def _plain(content: Content) -> Content:
    """Return a content of nothing but text as one text."""
    if isinstance(content, tuple) and all(isinstance(part, TextPart) for part in content):
        return flatten(content)
    return content


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def typed_part(kind: MediaKind) -> dict[str, str]:
    return {"type": kind.value}


def _template_content(
    content: Content, *, as_parts: bool, placeholders: MediaPlaceholders
) -> str | list[dict[str, str]]:
    """Return a content; texts that follow each other are one, with nothing between them."""
    if content is None or isinstance(content, str):
        return ([text_part(content)] if content else []) if as_parts else content or ""
    shown: list[str | MediaKind] = []
    for part in content:
        match part:
            case TextPart():
                shown.append(part.text)
            case MediaPart():
                shown.append(part.kind if part.kind in placeholders.typed else placeholders.texts[part.kind])
            case _:
                raise AssertionError("files are text before a conversation is rendered")
    runs = [run for is_text, group in groupby(shown, _is_text) for run in _run(is_text, list(group))]
    if as_parts or not all(map(_is_text, runs)):
        return [text_part(run) if isinstance(run, str) else typed_part(run) for run in runs if run != ""]
    return "".join(map(str, runs))


def _is_text(shown: str | MediaKind) -> bool:
    return isinstance(shown, str)


def _run(is_text: bool, shown: list[str | MediaKind]) -> list[str | MediaKind]:
    return ["".join(map(str, shown))] if is_text else shown


def _template_call(call: ToolCall, *, arguments_as_text: bool) -> dict[str, object]:
    arguments = call.arguments if arguments_as_text else _arguments(call.arguments)
    return {"type": "function", "id": call.id, "function": {"name": call.name, "arguments": arguments}}


def _arguments(text: str) -> object:
    """Return the arguments as an object; as the text itself if that is none, such as in a call cut short."""
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return arguments if isinstance(arguments, dict) else text


def _template_function(tool: ToolDefinition) -> dict[str, object]:
    described: dict[str, object] = {"name": tool.name}
    if tool.description is not None:
        described["description"] = tool.description
    return described | {"parameters": NO_PARAMETERS if tool.parameters is None else tool.parameters}
