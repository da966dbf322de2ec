"""A conversation of the wire in neutral terms."""

from collections.abc import Sequence

from generated.openai import models as m
from handlers.chat.messages import ChatMessage, ContentPart, MediaKind, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.errors.refused import Refused

Message = (
    m.ChatCompletionRequestDeveloperMessage
    | m.ChatCompletionRequestSystemMessage
    | m.ChatCompletionRequestUserMessage
    | m.ChatCompletionRequestAssistantMessage
    | m.ChatCompletionRequestToolMessage
)
_Part = (
    m.ChatCompletionRequestMessageContentPartText
    | m.ChatCompletionRequestMessageContentPartImage
    | m.ChatCompletionRequestMessageContentPartAudio
    | m.ChatCompletionRequestMessageContentPartFile
    | m.ChatCompletionRequestMessageContentPartRefusal
)


def conversation(messages: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """Raises Refused for an assistant's message that says nothing, or a result that answers no call."""
    calls: set[str] = set()
    for place, message in enumerate(messages):
        if isinstance(message, m.ChatCompletionRequestAssistantMessage):
            _check_assistant(message, f"messages[{place}].content")
            calls |= {call.id for call in message.tool_calls or ()}
        elif isinstance(message, m.ChatCompletionRequestToolMessage):
            _check_result(message, calls, f"messages[{place}].tool_call_id")
    return tuple(map(_message, messages))


def _check_assistant(message: m.ChatCompletionRequestAssistantMessage, field: str) -> None:
    if message.content is None and not message.refusal and not message.tool_calls:
        raise Refused("An assistant's message must have content, a refusal or tool calls.", field)


def _check_result(message: m.ChatCompletionRequestToolMessage, calls: set[str], field: str) -> None:
    if message.tool_call_id not in calls:
        raise Refused("A tool's message must answer a call of an earlier assistant's message.", field)


def _message(message: Message) -> ChatMessage:
    if isinstance(message, m.ChatCompletionRequestToolMessage):
        return ChatMessage(
            role=message.role,
            content=_content(message.content),
            tool_call_id=message.tool_call_id,
            name=message.name,
        )
    if isinstance(message, m.ChatCompletionRequestAssistantMessage):
        return _assistant(message)
    return ChatMessage(role=message.role, content=_content(message.content), name=message.name)


def _assistant(message: m.ChatCompletionRequestAssistantMessage) -> ChatMessage:
    return ChatMessage(
        role=message.role,
        content=message.refusal if message.content is None else _content(message.content),
        reasoning=message.reasoning or message.reasoning_content,
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
            for call in message.tool_calls or ()
        ),
        name=message.name,
    )


def _content(content: str | Sequence[_Part]) -> str | tuple[ContentPart, ...]:
    return content if isinstance(content, str) else tuple(map(_part, content))


def _part(part: _Part) -> ContentPart:
    match part:
        case m.ChatCompletionRequestMessageContentPartText():
            return TextPart(part.text)
        case m.ChatCompletionRequestMessageContentPartRefusal():
            return TextPart(part.refusal)
        case m.ChatCompletionRequestMessageContentPartImage():
            return MediaPart(MediaKind.IMAGE, part.image_url.url)
        case m.ChatCompletionRequestMessageContentPartAudio():
            return MediaPart(MediaKind.AUDIO, part.input_audio.data)
        case m.ChatCompletionRequestMessageContentPartFile():
            return MediaPart(MediaKind.FILE, part.file.file_data or part.file.file_id or "")
