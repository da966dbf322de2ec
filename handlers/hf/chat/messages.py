"""A conversation of the wire in neutral terms."""

from engine.port.request import MediaKind
from generated.hf import models as m
from handlers.chat.messages import ChatMessage, ContentPart, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.wire.missing import given_or


def chat_message(message: m.Message) -> ChatMessage:
    content = message.content
    return ChatMessage(
        role=message.role,
        content=content if content is None or isinstance(content, str) else tuple(map(_part, content)),
        tool_calls=tuple(map(_tool_call, message.tool_calls or ())),
        tool_call_id=message.tool_call_id,
        name=message.name,
    )


def _part(part: m.TextPart | m.ImagePart) -> ContentPart:
    if isinstance(part, m.TextPart):
        return TextPart(part.text)
    return MediaPart(MediaKind.IMAGE, part.image_url.url)


def _tool_call(call: m.ToolCall) -> ToolCall:
    return ToolCall(id=call.id, name=call.function.name, arguments=given_or(call.function.arguments, "{}"))
