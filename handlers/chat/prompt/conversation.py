"""Messages and tools in the shape that chat templates read: OpenAI's, with arguments as objects."""

import json
from collections.abc import Sequence
from typing import TypeAlias

from handlers.chat.errors import InvalidMessage, UnsupportedContent
from handlers.chat.messages import ChatMessage, ContentPart, MediaPart
from handlers.chat.tools import ToolCall, ToolDefinition

TemplateMessage: TypeAlias = dict[str, object]
TemplateTool: TypeAlias = dict[str, object]

NO_PARAMETERS: dict[str, object] = {"type": "object", "properties": {}}


def check_messages(messages: Sequence[ChatMessage]) -> None:
    """Raises InvalidMessage where there are none, UnsupportedContent for a part that is no text."""
    _check_some(messages)
    for at, message in enumerate(messages):
        if not isinstance(message.content, str):
            flatten(message.content, f"messages[{at}].content")


def template_messages(
    messages: Sequence[ChatMessage], *, as_parts: bool = False, arguments_as_text: bool = False
) -> list[TemplateMessage]:
    """Return the messages for the template of a model that reads only text.

    as_parts: whether the template reads a content as a list of parts, or as a string.
    arguments_as_text: whether it reads a call's arguments as JSON text, or as an object.
    Raises InvalidMessage and UnsupportedContent, as `check_messages` does.
    """
    _check_some(messages)
    converted = [
        _template_message(message, f"messages[{at}]", arguments_as_text=arguments_as_text)
        for at, message in enumerate(messages)
    ]
    return (
        [message | {"content": _parts(message["content"])} for message in converted]
        if as_parts
        else converted
    )


def _check_some(messages: Sequence[ChatMessage]) -> None:
    if not messages:
        raise InvalidMessage("a conversation has at least one message", "messages")


def template_tools(tools: Sequence[ToolDefinition]) -> list[TemplateTool]:
    return [{"type": "function", "function": _template_function(tool)} for tool in tools]


def _template_message(message: ChatMessage, field: str, *, arguments_as_text: bool) -> TemplateMessage:
    converted: TemplateMessage = {
        "role": message.role,
        "content": flatten(message.content, f"{field}.content"),
    }
    if message.reasoning is not None:  # gpt-oss's templates read the one name, all others the other
        converted = {"thinking": message.reasoning, **converted, "reasoning_content": message.reasoning}
    if message.tool_calls:
        converted["tool_calls"] = [
            _template_call(call, arguments_as_text=arguments_as_text) for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        converted["tool_call_id"] = message.tool_call_id
    if message.name is not None:
        converted["name"] = message.name
    return converted


def flatten(content: str | tuple[ContentPart, ...] | None, field: str) -> str:
    """Return the text of a message; "" where it has none, since most templates fail without content."""
    if content is None or isinstance(content, str):
        return content or ""
    for at, part in enumerate(content):
        if isinstance(part, MediaPart):
            message = f"the model reads text alone, and this part is {part.kind.value}"
            raise UnsupportedContent(message, f"{field}[{at}]")
    return "".join(part.text for part in content if not isinstance(part, MediaPart))


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _parts(content: object) -> list[dict[str, str]]:
    return [text_part(content)] if isinstance(content, str) and content else []


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
