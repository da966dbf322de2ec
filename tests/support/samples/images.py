"""Files of images, also such as are made to take a decoder long."""

import struct
import zlib
from io import BytesIO

from PIL import Image


def encoded(image: Image.Image, format: str = "PNG", **options: object) -> bytes:
    file = BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def jpeg_of_scans(number: int, side: int = 16) -> bytes:
    """Return a JPEG of so many scans, of which all but a few change nothing."""
    data = encoded(Image.new("L", (side, side)), "JPEG", progressive=True)
    last, end = data.rindex(b"\xff\xda"), data.rindex(b"\xff\xd9")
    return data[:last] + data[last:end] * (1 + number - data.count(b"\xff\xda")) + data[end:]


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_with_chunks(number: int, kind: bytes = b"prVt", content: bytes = b"") -> bytes:
    """Return a PNG with so many equal chunks before its pixels."""
    data = encoded(Image.new("L", (16, 16)))
    place = data.index(b"IDAT") - 4
    return data[:place] + png_chunk(kind, content) * number + data[place:]


def png_with_texts(number: int, num_bytes: int) -> bytes:
    """Return a PNG with so many texts, each of which is so long once it is unpacked."""
    return png_with_chunks(number, b"zTXt", b"a\0\0" + zlib.compress(bytes(num_bytes), 9))


def png_with_profile(num_bytes: int) -> bytes:
    """Return a PNG with a colour profile that is so long once it is unpacked."""
    return png_with_chunks(1, b"iCCP", b"a\0\0" + zlib.compress(bytes(num_bytes), 9))


def jpeg_with_segments(number: int) -> bytes:
    """Return a JPEG with so many empty comments before its pixels."""
    data = encoded(Image.new("L", (16, 16)), "JPEG")
    return data[:2] + b"\xff\xfe\x00\x02" * number + data[2:]


def png_with_exif(number: int) -> bytes:
    """Return a PNG whose EXIF data have an orientation of so many values."""
    entry = struct.pack(">HHII", 0x0112, 3, number, 26)
    return png_with_chunks(1, b"eXIf", b"MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4 + 2 * number))


def gif_with_comments(number: int) -> bytes:
    """Return a GIF with so many empty comments before its first frame."""
    data = encoded(Image.new("L", (16, 16)), "GIF")
    place = data.index(b",\0\0\0\0")
    return data[:place] + b"!\xfe\x00" * number + data[place:]


def moving(format: str, number: int, side: int = 16) -> bytes:
    """Return a moving image of so many frames."""
    frames = [
        Image.new("RGB", (side, side), (index * 91 % 256, index * 37 % 256, index % 2 * 255))
        for index in range(number)
    ]
    return encoded(frames[0], format, save_all=True, append_images=frames[1:])


def webp_of_canvas(side: int) -> bytes:
    """Return a moving WebP that says how large its canvas is, which its frames do not fill."""
    data = bytearray(moving("WEBP", 2))
    data[24:30] = (side - 1).to_bytes(3, "little") * 2
    return bytes(data)
