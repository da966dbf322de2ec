"""The samples that an MP4 file says it has, counted before FFmpeg takes memory for each of them."""

from collections.abc import Iterator
from re import compile as pattern
from struct import unpack_from
from typing import Final

# Six hours of AAC, and nine of video: FFmpeg keeps about 40 bytes for each.
MAX_SAMPLES: Final = 2**20
# Where the count stands after the name of a table. Some tables have no bytes for a sample, so that the size
# of the file bounds nothing.
_COUNTS: Final = {b"stsz": 12, b"stz2": 12, b"trun": 8}
_TABLES: Final = pattern(b"|".join(_COUNTS))
_CONTENT: Final = b"mdat"


def num_samples(data: bytes) -> int:
    """Return the number of samples in all tables of a file, those of broken ones too."""
    number = 0
    for start, end in _heads(data):
        for found in _TABLES.finditer(data, start, end):
            place = found.start() + _COUNTS[found.group()]
            if place + 4 <= len(data):
                number += unpack_from(">I", data, place)[0]
    return number


def _heads(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the half-open ranges of a file that are no content, which may hold any bytes by chance."""
    start = 0
    while start + 8 <= len(data):
        size, name = unpack_from(">I4s", data, start)
        head = 8
        if size == 1 and start + 16 <= len(data):
            (size,) = unpack_from(">Q", data, start + 8)
            head = 16
        # 0 stands for all that follows; less than a head is broken, and so may be what FFmpeg makes of it.
        end = len(data) if size < head else min(start + size, len(data))
        if name != _CONTENT or 0 < size < head:
            yield start, end
        start = end
