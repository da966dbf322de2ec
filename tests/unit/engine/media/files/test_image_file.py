"""Files from strangers are decoded within bounds, and whatever is wrong with one is said to the client."""

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.image_file import MAX_PIXELS, decode_image
from tests.tiny_media import image_bytes


def file_of(image: Image.Image, format: str, **options: object) -> bytes:
    file = BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_each_format_is_read_as_rgb(format: str) -> None:
    image = decode_image(image_bytes(9, 5, format=format))
    assert (image.mode, image.size) == ("RGB", (9, 5))


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGBA", "1", "I;16"])
def test_other_modes_of_colour_become_rgb(mode: str) -> None:
    assert decode_image(file_of(Image.new(mode, (4, 3)), "PNG")).mode == "RGB"


def test_a_picture_for_print_becomes_rgb() -> None:
    assert decode_image(file_of(Image.new("CMYK", (4, 3)), "JPEG")).mode == "RGB"


def test_a_picture_is_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # Orientation: the camera was turned by a quarter
    assert decode_image(file_of(Image.new("RGB", (8, 2)), "JPEG", exif=exif)).size == (2, 8)


def test_of_a_moving_picture_the_first_is_read() -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    data = file_of(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert decode_image(data).getpixel((0, 0)) == (255, 0, 0)


def png_of(width: int, height: int) -> bytes:
    """Return a PNG whose header tells of a size that its few bytes do not have."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no image of PNG, JPEG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no image of PNG, JPEG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no image of PNG, JPEG"),
        (image_bytes(64, 64)[:60], "broken or cut off"),
        (image_bytes(64, 64, format="JPEG")[:400], "broken or cut off"),
        (png_of(8_000, 8_000), "8000 × 8000 pixels"),
        (png_of(12_000, 12_000), "more than"),
        (png_of(60_000, 60_000), "more than"),
        (png_of(201, 1), "200 times"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(CannotDecode, match=reason):
        decode_image(data)


def test_the_largest_picture_is_let_in_by_its_header() -> None:
    side = int(MAX_PIXELS**0.5)
    with pytest.raises(CannotDecode, match="broken"):
        decode_image(png_of(side, side))
