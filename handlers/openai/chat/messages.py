"""A conversation of the wire in neutral terms."""

from collections.abc import Sequence

from engine.port.request import MediaKind
from generated.openai import models as m
from handlers.chat.messages import ChatMessage, Content, ContentPart, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.errors.refused import Refused
from handlers.media.data_url import data_url
from handlers.openai.custom_tool import as_arguments
from handlers.openai.files import file_part

Message = (
    m.ChatCompletionRequestDeveloperMessage
    | m.ChatCompletionRequestSystemMessage
    | m.ChatCompletionRequestUserMessage
    | m.ChatCompletionRequestAssistantMessage
    | m.ChatCompletionRequestToolMessage
    | m.ChatCompletionRequestFunctionMessage
)
_Part = (
    m.ChatCompletionRequestMessageContentPartText
    | m.ChatCompletionRequestMessageContentPartImage
    | m.ChatCompletionRequestMessageContentPartVideo
    | m.ChatCompletionRequestMessageContentPartAudio
    | m.ChatCompletionRequestMessageContentPartFile
    | m.ChatCompletionRequestMessageContentPartRefusal
)


def conversation(messages: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """Return the neutral conversation.

    Raises Refused for an assistant's message that says nothing, or a result that answers no call.
    """
    calls: set[str] = set()
    functions: set[str] = set()  # that an older `function_call` names
    for place, message in enumerate(messages):
        if isinstance(message, m.ChatCompletionRequestAssistantMessage):
            _check_assistant(message, f"messages[{place}].content")
            calls |= {call.id for call in message.tool_calls or ()}
            functions |= {message.function_call.name} if message.function_call else set()
        elif isinstance(message, m.ChatCompletionRequestToolMessage):
            _check_result(message, calls, f"messages[{place}].tool_call_id")
        elif isinstance(message, m.ChatCompletionRequestFunctionMessage) and message.name not in functions:
            reason = "A function's message must answer a 'function_call' of an earlier assistant's message."
            raise Refused(reason, f"messages[{place}].name")
    return tuple(_message(message, f"messages[{place}].content") for place, message in enumerate(messages))


def _check_assistant(message: m.ChatCompletionRequestAssistantMessage, field: str) -> None:
    if message.function_call and message.tool_calls:
        reason = "'tool_calls' replaces 'function_call'; send one of them."
        raise Refused(reason, field.replace("content", "function_call"))
    says = message.refusal or message.tool_calls or message.function_call
    if message.content is None and not says:
        raise Refused("An assistant's message must have content, a refusal or tool calls.", field)


def _check_result(message: m.ChatCompletionRequestToolMessage, calls: set[str], field: str) -> None:
    if message.tool_call_id not in calls:
        raise Refused("A tool's message must answer a call of an earlier assistant's message.", field)


def _message(message: Message, field: str) -> ChatMessage:
    if isinstance(message, m.ChatCompletionRequestToolMessage):
        return ChatMessage(
            role=message.role,
            content=_content(message.content, field),
            tool_call_id=message.tool_call_id,
            name=message.name,
        )
    if isinstance(message, m.ChatCompletionRequestAssistantMessage):
        return _assistant(message, field)
    if isinstance(message, m.ChatCompletionRequestFunctionMessage):
        id = _function_id(message.name)
        return ChatMessage(role="tool", content=message.content, tool_call_id=id, name=message.name)
    return ChatMessage(role=message.role, content=_content(message.content, field), name=message.name)


def _function_id(name: str) -> str:
    """Return the identifier of an older call, which has none: its result comes before another of the name."""
    return f"call_{name}"


def _assistant(message: m.ChatCompletionRequestAssistantMessage, field: str) -> ChatMessage:
    older, calls = message.function_call, tuple(map(_call, message.tool_calls or ()))
    if older:
        calls = (ToolCall(id=_function_id(older.name), name=older.name, arguments=older.arguments),)
    return ChatMessage(
        role=message.role,
        content=message.refusal if message.content is None else _content(message.content, field),
        reasoning=message.reasoning or message.reasoning_content,
        tool_calls=calls,
        name=message.name,
    )


def _call(
    call: m.ChatCompletionRequestMessageToolCall | m.ChatCompletionRequestMessageCustomToolCall,
) -> ToolCall:
    if isinstance(call, m.ChatCompletionRequestMessageCustomToolCall):
        return ToolCall(id=call.id, name=call.custom.name, arguments=as_arguments(call.custom.input))
    return ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)


def _content(content: str | Sequence[_Part], field: str) -> Content:
    if isinstance(content, str):
        return content
    return tuple(_part(part, f"{field}[{place}]") for place, part in enumerate(content))


def _part(part: _Part, field: str) -> ContentPart:
    match part:
        case m.ChatCompletionRequestMessageContentPartText():
            return TextPart(part.text)
        case m.ChatCompletionRequestMessageContentPartRefusal():
            return TextPart(part.refusal)
        case m.ChatCompletionRequestMessageContentPartImage():
            return MediaPart(MediaKind.IMAGE, part.image_url.url)
        case m.ChatCompletionRequestMessageContentPartVideo():
            return MediaPart(MediaKind.VIDEO, part.video_url.url)
        case m.ChatCompletionRequestMessageContentPartAudio():
            return MediaPart(MediaKind.AUDIO, data_url(part.input_audio.data))
        case m.ChatCompletionRequestMessageContentPartFile():
            return file_part(part.file, None, f"{field}.file")
