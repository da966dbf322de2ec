"""Files from strangers are decoded within bounds, and whatever is wrong with one is said to the client."""

import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from engine.config import IMAGE_PIXELS, MAX_IMAGE_PIXELS
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.image_file import as_rgb, decode_image
from tests.support.tiny_models.media import image_bytes


def file_of(image: Image.Image, format: str, **options: object) -> bytes:
    file = BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_each_format_is_read_as_rgb(format: str) -> None:
    image = decode_image(image_bytes(9, 5, format=format), IMAGE_PIXELS)
    assert (image.mode, image.size) == ("RGB", (9, 5))


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGBA", "1", "I;16"])
def test_other_modes_of_colour_become_rgb(mode: str) -> None:
    assert decode_image(file_of(Image.new(mode, (4, 3)), "PNG"), IMAGE_PIXELS).mode == "RGB"


def test_of_sixteen_bits_of_grey_the_upper_eight_are_kept() -> None:
    shades = np.arange(65_536, dtype=np.uint16).reshape(256, 256)
    data = file_of(Image.fromarray(shades), "PNG")
    seen = np.asarray(decode_image(data, IMAGE_PIXELS))
    assert np.array_equal(seen, np.repeat((shades >> 8).astype(np.uint8)[:, :, None], 3, axis=2))
    # Another server would see white, as Pillow converts it.
    assert np.array_equal(np.asarray(Image.open(BytesIO(as_rgb(data))).convert("RGB")), seen)


@pytest.mark.parametrize("transparency", [1, bytes([0, 128, 255])])
def test_transparency_of_a_palette_is_dropped(transparency: int | bytes) -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([10, 20, 30, 40, 50, 60, 70, 80, 90])
    image.putdata([0, 1, 2])
    seen = decode_image(file_of(image, "PNG", transparency=transparency), IMAGE_PIXELS)
    assert [seen.getpixel((place, 0)) for place in range(3)] == [(10, 20, 30), (40, 50, 60), (70, 80, 90)]


def test_a_picture_for_print_becomes_rgb() -> None:
    assert decode_image(file_of(Image.new("CMYK", (4, 3)), "JPEG"), IMAGE_PIXELS).mode == "RGB"


def test_a_picture_is_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # Orientation: the camera was turned by a quarter
    assert decode_image(file_of(Image.new("RGB", (8, 2)), "JPEG", exif=exif), IMAGE_PIXELS).size == (2, 8)


def test_of_a_moving_picture_the_first_is_read() -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    data = file_of(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert decode_image(data, IMAGE_PIXELS).getpixel((0, 0)) == (255, 0, 0)


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
        decode_image(data, IMAGE_PIXELS)


def test_the_largest_picture_is_let_in_by_its_header() -> None:
    side = int(IMAGE_PIXELS**0.5)
    with pytest.raises(CannotDecode, match="broken"):
        decode_image(png_of(side, side), IMAGE_PIXELS)


def test_the_bound_of_pixels_is_the_operators() -> None:
    picture = image_bytes(30, 20)
    assert decode_image(picture, 600).size == (30, 20)
    with pytest.raises(CannotDecode, match="30 × 20 pixels; 599 are the most"):
        decode_image(picture, 599)
    with pytest.raises(CannotDecode, match="broken"):  # its header is let in
        decode_image(png_of(9_000, 9_000), MAX_IMAGE_PIXELS)
