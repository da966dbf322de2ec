"""Images decoded from files that strangers send, within bounds."""

from io import BytesIO
from typing import Final

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from engine.config import MAX_IMAGE_PIXELS
from engine.media.files.cannot_decode import CannotDecode

# A thinner one is no picture, and processors that keep the ratio of its sides could not scale it.
MAX_ASPECT_RATIO: Final = 200
FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_GREY_16: Final = "I;16"
_UNLIKE: Final = ("RGBA", "LA", "PA", _GREY_16)


def decode_image(data: bytes, max_pixels: int) -> Image.Image:
    """Return the image in a file as RGB, turned upright as its EXIF data say; of a moving one, its first.

    Transparency is dropped, as transformers' own loading of images drops it. Of 16 bits of grey the upper 8
    are kept, where that would make white of nearly all. Raises CannotDecode.
    max_pixels: of its width and height, which are known before any pixel is decoded.
    """
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            _check_size(image, max_pixels)
            upright = ImageOps.exif_transpose(image)
            if upright.mode == _GREY_16:
                upright = Image.fromarray((np.asarray(upright) >> 8).astype(np.uint8))
            # Pillow warns before it drops that of a palette.
            upright.info.pop("transparency", None)
            return upright.convert("RGB")
    except CannotDecode:
        raise
    except MemoryError as error:
        raise CannotDecode("the image takes too much memory to decode") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise CannotDecode(f"an image of more than {max_pixels:,} pixels") from error
    except UnidentifiedImageError as error:
        raise CannotDecode(f"the file is no image of {', '.join(FORMATS)}") from error
    except Exception as error:  # each format's decoder raises its own for a broken file
        raise CannotDecode("the image is broken or cut off") from error


def as_rgb(data: bytes) -> bytes:
    """Return a file whose image others read as `decode_image` does; the same if they do so anyway.

    One with transparency or 16 bits of grey, of which they make something else, is written anew. Raises
    CannotDecode.
    """
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            is_plain = image.mode not in _UNLIKE and "transparency" not in image.info
    except Exception as error:
        raise CannotDecode("the image is broken or cut off") from error
    if is_plain:
        return data
    file = BytesIO()
    decode_image(data, MAX_IMAGE_PIXELS).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _check_size(image: Image.Image, max_pixels: int) -> None:
    """Check what the file's header says, before its pixels are decoded."""
    width, height = image.size
    if width * height > max_pixels:
        raise CannotDecode(f"an image of {width} × {height} pixels; {max_pixels:,} are the most")
    if max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        raise CannotDecode(
            f"an image of {width} × {height} pixels; a side may be {MAX_ASPECT_RATIO} times the other at most"
        )
