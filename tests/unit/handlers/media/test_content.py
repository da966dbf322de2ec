"""The kinds of contents, whatever they are called."""

from io import BytesIO

import pytest
from PIL import Image

from engine.port.media_item import MediaItem
from engine.port.request import MediaKind
from handlers.chat.messages import FilePart, MediaPart, TextPart
from handlers.media.budget import CannotRead
from handlers.media.content import checked
from tests.support.scripted.media_processor import MP4, WAV, png

IMAGE, AUDIO, VIDEO = MediaKind.IMAGE, MediaKind.AUDIO, MediaKind.VIDEO


def encoded(form: str) -> bytes:
    file = BytesIO()
    Image.new("RGB", (3, 2)).save(file, form)
    return file.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_images_are_what_they_are(form: str) -> None:
    data = encoded(form)
    assert checked(MediaPart(IMAGE, ""), data) == MediaItem(IMAGE, data)


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
    assert checked(MediaPart(kind, ""), data) == MediaItem(kind, data)


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
        checked(MediaPart(kind, ""), data)


@pytest.mark.parametrize("data", [b"words", "\ufeffwords".encode()])
def test_files_of_text_are_text_under_their_name(data: bytes) -> None:
    assert checked(FilePart(""), data) == TextPart("words\n\n")
    assert checked(FilePart("", "a.txt"), data) == TextPart("a.txt\n\nwords\n\n")


@pytest.mark.parametrize(
    ("data", "reason"), [(b"%PDF-1.7", "PDF"), (b"\xff\xfe", "UTF-8"), (b"a\0b", "UTF-8"), (png(), "UTF-8")]
)
def test_files_of_other_kinds_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(CannotRead, match=reason):
        checked(FilePart("", "a.txt"), data)
