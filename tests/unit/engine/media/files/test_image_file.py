"""Files from strangers are decoded within bounds, and whatever is wrong with one is said to the client."""

import struct
import zlib
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps

from engine.config import IMAGE_PIXELS, MAX_IMAGE_PIXELS
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.image_file import MAX_SCANS, decode_image, num_scans
from tests.support.samples.images import encoded, jpeg_of_scans, png_chunk
from tests.support.tiny_models.media import image_bytes

WHITE = (255, 255, 255)
BLUE = (0, 0, 255)


def decoded(data: bytes, max_pixels: int = IMAGE_PIXELS) -> Image.Image:
    return decode_image(data, max_pixels, WHITE).image


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_each_format_is_read_as_rgb(format: str) -> None:
    image = decoded(image_bytes(9, 5, format=format))
    assert (image.mode, image.size) == ("RGB", (9, 5))


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGBA", "1", "I;16"])
def test_other_modes_of_colour_become_rgb(mode: str) -> None:
    assert decoded(encoded(Image.new(mode, (4, 3)), "PNG")).mode == "RGB"


def test_of_sixteen_bits_of_grey_the_upper_eight_are_kept() -> None:
    shades = np.arange(65_536, dtype=np.uint16).reshape(256, 256)
    image, is_plain = decode_image(encoded(Image.fromarray(shades)), IMAGE_PIXELS, WHITE)
    seen = np.asarray(image)
    assert np.array_equal(seen, np.repeat((shades >> 8).astype(np.uint8)[:, :, None], 3, axis=2))
    assert not is_plain  # another server would see white, as Pillow converts it


def raw_png(width: int, height: int, num_bits: int, pixels: bytes = b"", *chunks: bytes) -> bytes:
    """Return a PNG in RGB. pixels: its rows, each after its filter. chunks: what stands before them."""
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, num_bits, 2, 0, 0, 0))
    content = png_chunk(b"IDAT", zlib.compress(pixels)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + content


def of_16_bits(first: int, second: int, *, transparent: int) -> bytes:
    """Return a PNG of two shades of 16 bits in RGB."""
    rows = b"\0" + struct.pack(">6H", *[first] * 3, *[second] * 3)
    return raw_png(2, 1, 16, rows, png_chunk(b"tRNS", struct.pack(">3H", *[transparent] * 3)))


def with_palette(format: str = "PNG", **options: object) -> bytes:
    image = Image.new("P", (3, 1))
    image.putpalette([10, 20, 30, 40, 50, 60, 70, 80, 90])
    image.putdata([0, 1, 2])
    return encoded(image, format, **options)


def of_pixels(mode: str, *pixels: Any, format: str = "PNG", **options: object) -> bytes:
    image = Image.new(mode, (len(pixels), 1))
    image.putdata(pixels)
    return encoded(image, format, **options)


CLEAR = (200, 0, 0, 0)
KINDS_OF_TRANSPARENCY = [
    (of_pixels("RGBA", CLEAR, (9, 8, 7, 255)), [BLUE, (9, 8, 7)]),
    (of_pixels("RGBA", (255, 0, 0, 128)), [(128, 0, 127)]),
    (of_pixels("RGBA", CLEAR, (9, 8, 7, 255), format="WEBP", lossless=True, exact=True), [BLUE, (9, 8, 7)]),
    (of_pixels("LA", (90, 0), (80, 255)), [BLUE, (80, 80, 80)]),
    (of_pixels("L", 90, 80, transparency=90), [BLUE, (80, 80, 80)]),
    (of_pixels("RGB", (1, 2, 3), (9, 8, 7), transparency=(1, 2, 3)), [BLUE, (9, 8, 7)]),
    (of_pixels("I;16", 0x1234, 0x1235, transparency=0x1234), [BLUE, (0x12, 0x12, 0x12)]),
    (of_16_bits(0x1234, 0x3456, transparent=0x1234), [BLUE, (0x34, 0x34, 0x34)]),
    (with_palette(transparency=1), [(10, 20, 30), BLUE, (70, 80, 90)]),
    (with_palette(transparency=bytes([0, 255, 255])), [BLUE, (40, 50, 60), (70, 80, 90)]),
    (with_palette(format="GIF", transparency=2), [(10, 20, 30), (40, 50, 60), BLUE]),
]


@pytest.mark.parametrize(("data", "pixels"), KINDS_OF_TRANSPARENCY)
def test_what_is_transparent_shows_the_background(data: bytes, pixels: list[tuple[int, ...]]) -> None:
    image, is_plain = decode_image(data, IMAGE_PIXELS, BLUE)
    assert [image.getpixel((place, 0)) for place in range(image.width)] == pixels
    assert not is_plain


def test_a_picture_for_print_becomes_rgb() -> None:
    assert decoded(encoded(Image.new("CMYK", (4, 3)), "JPEG")).mode == "RGB"


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_turned_upright(format: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(Image.linear_gradient("L").resize((16, 4)), format, exif=exif)
    image, is_plain = decode_image(data, IMAGE_PIXELS, WHITE)
    expected = ImageOps.exif_transpose(Image.open(BytesIO(data))).convert("RGB")
    assert np.array_equal(np.asarray(image), np.asarray(expected))
    assert is_plain == (orientation == 1)


def test_of_a_moving_picture_the_first_is_read() -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert decoded(data).getpixel((0, 0)) == (255, 0, 0)


def png_of(width: int, height: int) -> bytes:
    """Return a PNG whose header tells of a size that its few bytes do not have."""
    return raw_png(width, height, 8)


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
        decoded(data)


def test_the_largest_picture_is_let_in_by_its_header() -> None:
    side = int(IMAGE_PIXELS**0.5)
    with pytest.raises(CannotDecode, match="broken"):
        decoded(png_of(side, side))


def test_the_bound_of_pixels_is_the_operators() -> None:
    picture = image_bytes(30, 20)
    assert decoded(picture, 600).size == (30, 20)
    with pytest.raises(CannotDecode, match="30 × 20 pixels; 599 are the most"):
        decoded(picture, 599)
    with pytest.raises(CannotDecode, match="broken"):  # its header is let in
        decoded(png_of(9_000, 9_000), MAX_IMAGE_PIXELS)


def test_scans_of_a_jpeg_are_counted_before_it_is_decoded() -> None:
    assert decoded(jpeg_of_scans(MAX_SCANS)).size == (16, 16)
    with pytest.raises(CannotDecode, match=f"more than {MAX_SCANS} scans"):
        decoded(jpeg_of_scans(MAX_SCANS + 1))


def test_only_markers_of_the_first_image_count_as_scans() -> None:
    scan = b"\xff\xda"
    data = jpeg_of_scans(8)
    first, end = data.index(scan), len(data) - 2
    assert num_scans(data) == 8
    # Neither those of a comment, nor those of what follows, such as the film of a moving photo.
    comment = b"\xff\xfe" + (2 + 400).to_bytes(2) + scan * 200
    assert num_scans(data[:2] + comment + data[2:] + scan * 200) == 8
    # A decoder skips what fills the space between segments, and restarts belong to a scan.
    assert num_scans(data[:first] + b"\x00\x01\xff\xff" + data[first:]) == 8
    assert num_scans(data[:end] + b"\xff\xd0\xff\x00" + scan) == 9
