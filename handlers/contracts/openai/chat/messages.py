"""A conversation of the wire in neutral terms."""

from collections.abc import Sequence

from engine.port.request import MediaKind
from generated.openai import models as m
from handlers.chat.messages import ChatMessage, Content, ContentPart, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.contracts.openai.custom_tool import as_arguments
from handlers.contracts.openai.files import file_part
from handlers.media.data_url import data_url
from verbatim_kit.errors import Refused

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
    calls = _Calls()
    return tuple(_message(message, calls, f"messages[{place}]") for place, message in enumerate(messages))


def continues(messages: Sequence[Message]) -> bool:
    """Return whether the last message is marked as one that the model goes on with."""
    last = messages[-1]
    return isinstance(last, m.ChatCompletionRequestAssistantMessage) and bool(last.prefix or last.partial)


class _Calls:
    """The calls of a conversation so far. A result that names no call answers the next one in order."""

    def __init__(self) -> None:
        self._made: set[str] = set()
        self._unanswered: list[str] = []

    def make(self, calls: Sequence[ToolCall]) -> None:
        self._unanswered = [call.id for call in calls]
        self._made.update(self._unanswered)

    def answer(self, call_id: str | None, field: str) -> str:
        """Return the id of the call that a result answers. Raises Refused where there is none."""
        if call_id is None and self._unanswered:
            call_id = self._unanswered[0]
        if call_id is None or call_id not in self._made:
            raise Refused("A result must answer a call of an earlier assistant's message.", field)
        if call_id in self._unanswered:
            self._unanswered.remove(call_id)
        return call_id


def _check_assistant(message: m.ChatCompletionRequestAssistantMessage, place: str) -> None:
    if message.function_call and message.tool_calls:
        reason = "'tool_calls' replaces 'function_call'; send one of them."
        raise Refused(reason, f"{place}.function_call")
    has_thoughts = message.reasoning or message.reasoning_content
    says = message.refusal or message.tool_calls or message.function_call or has_thoughts
    if message.content is None and not says:
        reason = "An assistant's message must have content, thoughts, a refusal or tool calls."
        raise Refused(reason, f"{place}.content")


def _message(message: Message, calls: _Calls, place: str) -> ChatMessage:
    field = f"{place}.content"
    if isinstance(message, m.ChatCompletionRequestToolMessage):
        return ChatMessage(
            role=message.role,
            content=_content(message.content, field),
            tool_call_id=calls.answer(message.tool_call_id, f"{place}.tool_call_id"),
            name=message.name,
        )
    if isinstance(message, m.ChatCompletionRequestFunctionMessage):
        id = calls.answer(_function_id(message.name), f"{place}.name")
        return ChatMessage(role="tool", content=message.content, tool_call_id=id, name=message.name)
    if isinstance(message, m.ChatCompletionRequestAssistantMessage):
        _check_assistant(message, place)
        said = _assistant(message, field)
        calls.make(said.tool_calls)
        return said
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
