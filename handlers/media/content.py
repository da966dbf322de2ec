"""The kinds of contents, which their bytes show; what a client or a server calls them is not relied on."""

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Final

from PIL import Image, UnidentifiedImageError

from engine.port.media_item import MediaItem
from engine.port.request import MediaKind
from handlers.chat.messages import FilePart, SourcePart, TextPart
from handlers.media.unreadable import CannotRead

IMAGE_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
# How files of sound and video begin; a library for four signatures of either kind would say no more.
_BEGINNINGS: Final[Mapping[MediaKind, re.Pattern[bytes]]] = {
    MediaKind.AUDIO: re.compile(
        rb"RIFF....WAVE|ID3|\xff[\xe0-\xff]|fLaC|OggS|....ftyp|\x1aE\xdf\xa3", re.DOTALL
    ),
    MediaKind.VIDEO: re.compile(
        rb"....ftyp|\x1aE\xdf\xa3|RIFF....AVI |\x30\x26\xb2\x75\x8e\x66\xcf\x11", re.DOTALL
    ),
}
# By which a file that Pillow does not open is told from another format.
_IMAGE_BEGINNING: Final = re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP", re.DOTALL)
_FORMATS: Final = {
    MediaKind.IMAGE: "a PNG, JPEG, GIF or WebP image",
    MediaKind.AUDIO: "sound as WAV, MP3, FLAC, Ogg, M4A or WebM",
    MediaKind.VIDEO: "video as MP4, WebM, Matroska, AVI or WMV",
}


def checked(part: SourcePart, data: bytes, max_image_pixels: int) -> MediaItem | TextPart:
    """Return the part's content. Raises CannotRead for bytes that are not of the part's kind."""
    if isinstance(part, FilePart):
        return TextPart(_titled(part.name, _text(data)))
    if part.kind is MediaKind.IMAGE:
        _check_image(data, max_image_pixels)
    elif not _BEGINNINGS[part.kind].match(data):
        raise CannotRead(f"the content is not {_FORMATS[part.kind]}")
    return MediaItem(part.kind, data)


def _check_image(data: bytes, max_pixels: int) -> None:
    """Read the head of an image alone, so that its size is known before its pixels take memory."""
    try:
        with Image.open(BytesIO(data), formats=IMAGE_FORMATS) as image:
            width, height = image.size
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels(max_pixels) from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        if _IMAGE_BEGINNING.match(data):
            raise CannotRead("the image is broken or cut off") from error
        raise CannotRead(f"the content is not {_FORMATS[MediaKind.IMAGE]}") from error
    if width * height > max_pixels:
        raise _too_many_pixels(max_pixels)


def _too_many_pixels(max_pixels: int) -> CannotRead:
    return CannotRead(f"an image may have {max_pixels} pixels")


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
    """Return the text under its name, between blank lines: it is no part of the words beside it."""
    return "\n\n".join(filter(None, (name, text))) + "\n\n"
