"""A conversation in the neutral form that all contracts translate to."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from engine.port.request import MediaKind
from handlers.chat.tools import ToolCall


class TextPart(msgspec.Struct, frozen=True, tag=True):
    """A piece of text in a message; a message's texts are joined with nothing between them."""

    text: str


class MediaPart(msgspec.Struct, frozen=True, tag=True):
    """An image, a sound or a video.

    source: a URL or a data URL. place: the field that it comes from, in the contract's terms; where it is
    empty, the part is named by its place among the messages.
    """

    kind: MediaKind
    source: str
    place: str = ""


class FilePart(msgspec.Struct, frozen=True, tag=True):
    """A file of text, which becomes text in its place. name: the file's name. Others are as in MediaPart."""

    source: str
    name: str | None = None
    place: str = ""


SourcePart: TypeAlias = MediaPart | FilePart
ContentPart: TypeAlias = TextPart | SourcePart
Content: TypeAlias = str | tuple[ContentPart, ...] | None
Document: TypeAlias = Mapping[str, object]  # "title" and "text", as retrieval templates read them


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a conversation."""

    role: str
    """The speaker: system, developer, user, assistant, tool, or any other that the model's template knows."""

    content: Content = None
    """The text and other parts; None where an assistant's message holds only tool calls."""

    reasoning: str | None = None
    """The thoughts of an assistant before it spoke; most templates drop them for all but the newest reply."""

    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that an assistant's message makes."""

    tool_call_id: str | None = None
    """The call that a tool's message answers."""

    name: str | None = None
    """The name of the speaker, or of the function that answers."""


def is_continuable(messages: tuple[ChatMessage, ...]) -> bool:
    """Return whether the conversation ends in an assistant's text, which the model could continue."""
    if not messages:
        return False
    last = messages[-1]
    return last.role == "assistant" and last.content is not None and not last.tool_calls
