"""The contents of parts that are not text, and their places in a conversation."""

import re
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from itertools import islice
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.extras import how_to_install, missing
from engine.port.errors import InvalidMedia
from engine.port.media_item import FileKeeper, MediaItem, MediaProcessor
from engine.port.request import MediaKind, Prompt
from engine.port.text.patterns import any_of
from handlers.chat.errors import InvalidMessage, UnsupportedContent
from handlers.chat.messages import ChatMessage, ContentPart, FilePart, MediaPart, SourcePart, TextPart
from verbatim_kit.errors import Violation


class Unreadable(msgspec.Struct, frozen=True):
    """A part that cannot be read. reason: the message for the client."""

    reason: str


class MediaWanted(Exception):
    """A conversation that nothing but its unread parts keeps from the engine.

    parts: the parts that have to be read, each once.
    This error never reaches a client: the caller reads the parts, and prepares the conversation again.
    """

    def __init__(self, parts: Sequence[SourcePart]) -> None:
        super().__init__(f"{len(parts)} parts have not been read")
        self.parts = tuple(dict.fromkeys(parts))


PartContent: TypeAlias = MediaItem | TextPart | Unreadable
PartContents: TypeAlias = Mapping[SourcePart, PartContent]  # of those that have been read

DEFAULT_MEDIA_ITEMS: Final = 20
NOTHING_READ: Final[PartContents] = {}


def placed(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Return the conversation in which every part that is not text names its place."""
    return tuple(
        replace(
            message,
            content=tuple(
                _placed(part, f"messages[{at}].content[{part_at}]")
                for part_at, part in enumerate(message.content)
            ),
        )
        if isinstance(message.content, tuple)
        else message
        for at, message in enumerate(messages)
    )


def _placed(part: ContentPart, place: str) -> ContentPart:
    return part if isinstance(part, TextPart) or part.place else replace(part, place=place)


def source_parts(messages: Sequence[ChatMessage]) -> list[SourcePart]:
    """Return the parts that are not text, in their order."""
    return [
        part
        for message in messages
        if isinstance(message.content, tuple)
        for part in message.content
        if not isinstance(part, TextPart)
    ]


def media_parts(messages: Sequence[ChatMessage]) -> list[MediaPart]:
    """Return the images, audio and videos, in their order."""
    return [part for part in source_parts(messages) if isinstance(part, MediaPart)]


def in_rendered_order(
    parts: Sequence[MediaPart], text: str, placeholders: Mapping[MediaKind, str]
) -> tuple[MediaPart, ...]:
    """Return parts in the order of their placeholders in the text.

    A template may write the parts of one kind first. The text has as many placeholders of each kind as there
    are parts of it.
    """
    if not parts:
        return ()
    kinds = {placeholder: kind for kind, placeholder in placeholders.items()}
    left = {kind: iter([part for part in parts if part.kind is kind]) for kind in placeholders}
    found = re.finditer(any_of(kinds), text)
    return tuple(part for match in found for part in islice(left[kinds[match[0]]], 1))


class PromptMedia:
    """The images, audio and videos in one model's prompts, and files, which any model reads as text."""

    def __init__(self, processor: MediaProcessor | None = None, max_items: int = DEFAULT_MEDIA_ITEMS) -> None:
        """Find the placeholders.

        processor: the engine's media processor; None for a model that reads only text.
        max_items: the most parts of one request that are not text.
        """
        self._processor = processor
        self._max_items = max_items
        self._reads = True
        kinds = frozenset[MediaKind]() if processor is None else processor.kinds
        self.placeholders: Mapping[MediaKind, str] = {
            kind: processor.placeholder(kind) for kind in MediaKind if processor is not None and kind in kinds
        }

    def keeping_files(self) -> "PromptMedia":
        """Return the same, whose prompts are FilePrompts where they have media."""
        if self._processor is None or isinstance(self._processor, FileKeeper):
            return self
        return PromptMedia(FileKeeper(self._processor), self._max_items)

    def leaving_unread(self) -> "PromptMedia":
        """Return the same, which reads no part: prompts have the placeholders that the template writes."""
        other = copy(self)
        other._reads = False
        return other

    def check(self, parts: Sequence[SourcePart], contents: PartContents) -> None:
        """Check the parts of a request that are not text.

        Raises UnsupportedContent for a part of a kind that the model does not read, and InvalidMessage for
        too many parts and for one that could not be read.
        """
        for part in parts:
            if isinstance(part, MediaPart) and part.kind not in self.placeholders:
                reads = f"the model reads {_listed(self.placeholders)}, and this part is {part.kind.value}"
                if missing("media"):
                    reads += f"; this installation reads only text: {how_to_install('media')}"
                raise UnsupportedContent(reads, part.place)
        if len(parts) > self._max_items:
            message = f"a request may have {self._max_items} files, images and the like"
            raise InvalidMessage(message, parts[self._max_items].place, Violation.TOO_LONG)
        for part in parts:
            if isinstance(content := contents.get(part), Unreadable):
                raise InvalidMessage(content.reason, part.place)

    def expand(
        self,
        token_ids: tuple[int, ...],
        parts: Sequence[SourcePart],
        placed: Sequence[MediaPart],
        contents: PartContents,
    ) -> Prompt:
        """Return the prompt with the tokens of its images and the like.

        placed: the parts that have a placeholder among the tokens, in the order of these. Raises MediaWanted
        if parts are unread, InvalidMessage for an item that the model's processor refuses, and
        InvalidRequest.
        """
        if not self._reads:
            return Prompt(token_ids)
        unread = [part for part in parts if part not in contents]
        if unread:
            raise MediaWanted(unread)
        items = [item for part in placed if isinstance(item := contents[part], MediaItem)]
        if self._processor is None or not items:
            return Prompt(token_ids)
        try:
            return self._processor.expand(token_ids, items)
        except InvalidMedia as error:
            raise InvalidMessage(error.reason, placed[error.index].place) from error


def _listed(kinds: Collection[MediaKind]) -> str:
    names = ["text", *(kind.value for kind in MediaKind if kind in kinds)]
    return f"only {names[0]}" if len(names) == 1 else f"only {', '.join(names[:-1])} and {names[-1]}"


def with_files_as_text(messages: Sequence[ChatMessage], contents: PartContents) -> tuple[ChatMessage, ...]:
    """Return the conversation with the text of files in their place; of one that is unread, nothing."""
    return tuple(
        replace(message, content=tuple(_as_text(part, contents) for part in message.content))
        if isinstance(message.content, tuple)
        else message
        for message in messages
    )


def _as_text(part: ContentPart, contents: PartContents) -> ContentPart:
    if not isinstance(part, FilePart):
        return part
    content = contents.get(part)
    return content if isinstance(content, TextPart) else TextPart("")
