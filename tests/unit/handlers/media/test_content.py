"""The kinds of contents, whatever they are called."""

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from engine.port.media_item import MediaItem
from engine.port.request import MediaKind
from handlers.chat.messages import FilePart, MediaPart, TextPart
from handlers.media.content import checked
from handlers.media.unreadable import CannotRead
from tests.support.scripted.media_processor import MP4, WAV, png

IMAGE, AUDIO, VIDEO = MediaKind.IMAGE, MediaKind.AUDIO, MediaKind.VIDEO


def encoded(form: str) -> bytes:
    file = BytesIO()
    Image.new("RGB", (3, 2)).save(file, form)
    return file.getvalue()


def bomb(width: int, height: int) -> bytes:
    """The head of a PNG of that size, and next to nothing behind it."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_images_are_what_they_are(form: str) -> None:
    data = encoded(form)
    assert checked(MediaPart(IMAGE, ""), data, 6) == MediaItem(IMAGE, data)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_an_image_that_is_cut_off_is_not_called_another_format(form: str) -> None:
    data = encoded(form)
    with pytest.raises(CannotRead, match="broken or cut off"):
        checked(MediaPart(IMAGE, ""), data[:13], 6)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (AUDIO, WAV),
        (AUDIO, b"ID3\x04"),
        (AUDIO, b"\xff\xfb\x90"),
        (AUDIO, b"fLaC\x00"),
        (AUDIO, b"OggS\x00"),
        (AUDIO, b"\x00\x00\x00\x20ftypM4A "),
        (AUDIO, MP4),
        (AUDIO, b"\x1aE\xdf\xa3"),
        (VIDEO, MP4),
        (VIDEO, b"\x1aE\xdf\xa3"),
        (VIDEO, b"RIFF\x00\x00\x00\x00AVI "),
        (VIDEO, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
    ],
)
def test_sounds_and_videos_are_known_by_their_beginning(kind: MediaKind, data: bytes) -> None:
    assert checked(MediaPart(kind, ""), data, 1) == MediaItem(kind, data)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (IMAGE, b""),
        (IMAGE, b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        (IMAGE, encoded("TIFF")),
        (IMAGE, encoded("BMP")),
        (IMAGE, WAV),
        (AUDIO, b""),
        (AUDIO, png()),
        (VIDEO, WAV),
        (VIDEO, png()),
    ],
)
def test_what_is_of_another_kind_is_refused(kind: MediaKind, data: bytes) -> None:
    with pytest.raises(CannotRead, match="the content is not"):
        checked(MediaPart(kind, ""), data, 1000)


def test_an_image_has_a_most_of_pixels() -> None:
    checked(MediaPart(IMAGE, ""), png(10, 10), 100)
    with pytest.raises(CannotRead, match="99 pixels"):
        checked(MediaPart(IMAGE, ""), png(10, 10), 99)


@pytest.mark.parametrize("side", [9_000, 12_000, 20_000, 65_535, 2**31 - 1])
def test_a_decompression_bomb_is_known_by_its_head(side: int) -> None:
    with pytest.raises(CannotRead, match="pixels"):
        checked(MediaPart(IMAGE, ""), bomb(side, side), 33_554_432)


@pytest.mark.parametrize("data", [b"words", "\ufeffwords".encode()])
def test_files_of_text_are_text_under_their_name(data: bytes) -> None:
    assert checked(FilePart(""), data, 1) == TextPart("words\n\n")
    assert checked(FilePart("", "a.txt"), data, 1) == TextPart("a.txt\n\nwords\n\n")


@pytest.mark.parametrize(
    ("data", "reason"), [(b"%PDF-1.7", "PDF"), (b"\xff\xfe", "UTF-8"), (b"a\0b", "UTF-8"), (png(), "UTF-8")]
)
def test_files_of_other_kinds_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(CannotRead, match=reason):
        checked(FilePart("", "a.txt"), data, 1)
