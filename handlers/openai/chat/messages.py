"""A conversation of the wire in neutral terms."""

from collections.abc import Sequence

from engine.port.request import MediaKind
from generated.openai import models as m
from handlers.chat.messages import ChatMessage, Content, ContentPart, MediaPart, TextPart
from handlers.chat.tools import ToolCall
from handlers.errors.refused import Refused
from handlers.media.data_url import data_url
from handlers.openai.files import file_part

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

    def make(self, calls: Sequence[m.ChatCompletionRequestMessageToolCall]) -> None:
        ids = [call.id for call in calls]
        self._made.update(ids)
        self._unanswered = ids

    def answer(self, call_id: str | None, field: str) -> str:
        """Return the id of the call that a result answers. Raises Refused where there is none."""
        if call_id is None and self._unanswered:
            call_id = self._unanswered[0]
        if call_id is None or call_id not in self._made:
            raise Refused("A tool's message must answer a call of an earlier assistant's message.", field)
        if call_id in self._unanswered:
            self._unanswered.remove(call_id)
        return call_id


def _check_assistant(message: m.ChatCompletionRequestAssistantMessage, field: str) -> None:
    has_thoughts = message.reasoning or message.reasoning_content
    if message.content is None and not (message.refusal or message.tool_calls or has_thoughts):
        raise Refused("An assistant's message must have content, thoughts, a refusal or tool calls.", field)


def _message(message: Message, calls: _Calls, place: str) -> ChatMessage:
    field = f"{place}.content"
    if isinstance(message, m.ChatCompletionRequestToolMessage):
        return ChatMessage(
            role=message.role,
            content=_content(message.content, field),
            tool_call_id=calls.answer(message.tool_call_id, f"{place}.tool_call_id"),
            name=message.name,
        )
    if isinstance(message, m.ChatCompletionRequestAssistantMessage):
        _check_assistant(message, field)
        calls.make(message.tool_calls or ())
        return _assistant(message, field)
    return ChatMessage(role=message.role, content=_content(message.content, field), name=message.name)


def _assistant(message: m.ChatCompletionRequestAssistantMessage, field: str) -> ChatMessage:
    return ChatMessage(
        role=message.role,
        content=message.refusal if message.content is None else _content(message.content, field),
        reasoning=message.reasoning or message.reasoning_content,
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
            for call in message.tool_calls or ()
        ),
        name=message.name,
    )


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
