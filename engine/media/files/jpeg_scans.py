"""The scans of a JPEG file, counted before a decoder goes through all of its pixels for each."""

from re import compile as pattern
from struct import unpack_from
from typing import Final

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
