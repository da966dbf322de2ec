"""The kinds of contents, which their bytes show; what a client or a server calls them is not relied on."""

import re
from collections.abc import Mapping
from typing import Final

from engine.port.media_item import MediaItem
from engine.port.request import MediaKind
from handlers.chat.messages import FilePart, SourcePart, TextPart
from handlers.media.budget import CannotRead

# How files begin; a library for four signatures of a kind would say no more.
_BEGINNINGS: Final[Mapping[MediaKind, re.Pattern[bytes]]] = {
    MediaKind.IMAGE: re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP", re.DOTALL),
    MediaKind.AUDIO: re.compile(
        rb"RIFF....WAVE|ID3|\xff[\xe0-\xff]|fLaC|OggS|....ftyp|\x1aE\xdf\xa3", re.DOTALL
    ),
    MediaKind.VIDEO: re.compile(
        rb"....ftyp|\x1aE\xdf\xa3|RIFF....AVI |\x30\x26\xb2\x75\x8e\x66\xcf\x11", re.DOTALL
    ),
}
_FORMATS: Final = {
    MediaKind.IMAGE: "a PNG, JPEG, GIF or WebP image",
    MediaKind.AUDIO: "sound as WAV, MP3, FLAC, Ogg, M4A or WebM",
    MediaKind.VIDEO: "video as MP4, WebM, Matroska, AVI or WMV",
}


def checked(part: SourcePart, data: bytes) -> MediaItem | TextPart:
    """Return the part's content. Raises CannotRead for bytes that do not begin as the part's kind does.

    No more of a file is read here: it is decoded in a process of its own.
    """
    if isinstance(part, FilePart):
        return TextPart(_titled(part.name, _text(data)))
    if not _BEGINNINGS[part.kind].match(data):
        raise CannotRead(f"the content is not {_FORMATS[part.kind]}")
    return MediaItem(part.kind, data)


def _text(data: bytes) -> str:
    if data.startswith(b"%PDF-"):
        raise CannotRead("PDF is not read here: its text has no certain order; send the text itself")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotRead("the file is no text in UTF-8") from None
    if "\0" in text:
        raise CannotRead("the file is no text in UTF-8")
    return text


def _titled(name: str | None, text: str) -> str:
    """Return the text under its name, between blank lines: it is no part of the words next to it."""
    return "\n\n".join(filter(None, (name, text))) + "\n\n"
