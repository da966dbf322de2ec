"""Images decoded from files that strangers send, within bounds."""

from collections.abc import Mapping
from io import BytesIO
from re import compile as pattern
from struct import unpack_from
from typing import Final, NamedTuple

import numpy as np
from PIL import Image, UnidentifiedImageError
from PIL.ExifTags import Base
from PIL.Image import Transpose

from engine.media.files.cannot_decode import CannotDecode

# Encoders write about ten; one for each bit of each of the 64 frequencies would be no picture's.
MAX_SCANS: Final = 100
# A marker that has a length and contents, or that ends the image. Within a scan, 00 follows an FF that is
# none, and restarts have neither.
_MARKER: Final = pattern(rb"\xff([\x02-\xcf\xd8-\xfe])")
_SCAN: Final = b"\xda"
_END: Final = b"\xd9"


def num_scans(data: bytes) -> int:
    """Return the number of scans up to the end of the first image in a file, those of broken ones too."""
    number, place = 0, 2
    while (found := _MARKER.search(data, place)) is not None and found[1] != _END:
        number += found[1] == _SCAN
        if found.end() + 2 > len(data):
            break
        place = found.end() + max(unpack_from(">H", data, found.end())[0], 2)
    return number


Colour = tuple[int, int, int]  # red, green, blue

# A thinner one is no picture, and processors that keep the ratio of its sides could not scale it.
MAX_ASPECT_RATIO: Final = 200
FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_OF_JPEG: Final = ("JPEG", "MPO")
_GREY_16: Final = "I;16"
_RGB_16: Final = "RGB;16B"
_TRANSPARENCY: Final = "transparency"
# How an image is turned upright, by its orientation as EXIF has it.
_UPRIGHT: Final[Mapping[int, Transpose]] = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_90,
}


class DecodedImage(NamedTuple):
    """An image in RGB. is_plain: whether every program that opens its file as RGB finds the same."""

    image: Image.Image
    is_plain: bool


def decode_image(data: bytes, max_pixels: int, background: Colour) -> DecodedImage:
    """Return the image in a file as RGB, turned upright as its EXIF data say; of a moving one, its first.

    What is transparent shows the background. Of 16 bits of grey the upper 8 are kept, where Pillow would make
    white of nearly all. Raises CannotDecode.
    max_pixels: of its width and height, which are known before any pixel is decoded.
    """
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            _check_size(image, max_pixels)
            if image.format in _OF_JPEG and num_scans(data) > MAX_SCANS:
                raise CannotDecode(f"the image has more than {MAX_SCANS} scans")
            if any(tile.args == _RGB_16 for tile in image.tile) and _TRANSPARENCY in image.info:
                # Pillow keeps the upper 8 bits of pixels, and would compare them with the lower ones of this.
                image.info[_TRANSPARENCY] = tuple(part >> 8 for part in image.info[_TRANSPARENCY])
            image.load()
            turn = _UPRIGHT.get(image.getexif().get(Base.Orientation, 1))
            is_plain = turn is None and image.mode != _GREY_16 and not image.has_transparency_data
            rgb = _rgb(image, background)
            return DecodedImage(rgb if turn is None else rgb.transpose(turn), is_plain)
    except CannotDecode:
        raise
    except MemoryError as error:
        raise CannotDecode("the image takes too much memory to decode") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise CannotDecode(f"an image of more than {max_pixels:,} pixels") from error
    except UnidentifiedImageError as error:
        raise CannotDecode(
            f"the file is no image of {', '.join(FORMATS)}, or is broken or cut off"
        ) from error
    except Exception as error:  # each format's decoder raises its own for a broken file
        raise CannotDecode("the image is broken or cut off") from error


def _rgb(image: Image.Image, background: Colour) -> Image.Image:
    if image.mode == _GREY_16:
        image = _of_8_bits(image)
    if not image.has_transparency_data:
        return image.convert("RGB")
    image = image.convert("RGBA")
    flat = Image.new("RGB", image.size, background)
    flat.paste(image, mask=image)
    return flat


def _of_8_bits(image: Image.Image) -> Image.Image:
    """Return an image of 16 bits of grey with the upper 8, one of which may stand for transparency."""
    shades = np.asarray(image)
    grey = Image.fromarray((shades >> 8).astype(np.uint8))
    if (transparent := image.info.get(_TRANSPARENCY)) is not None:
        grey.putalpha(Image.fromarray(np.where(shades == transparent, 0, 255).astype(np.uint8)))
    return grey


def _check_size(image: Image.Image, max_pixels: int) -> None:
    """Check what the file's header says, before its pixels are decoded."""
    width, height = image.size
    if width * height > max_pixels:
        raise CannotDecode(f"an image of {width} × {height} pixels; {max_pixels:,} are the most")
    if max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        raise CannotDecode(
            f"an image of {width} × {height} pixels; a side may be {MAX_ASPECT_RATIO} times the other at most"
        )
