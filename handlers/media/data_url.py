"""Data URLs (RFC 2397) in base64, read strictly."""

import binascii
from typing import Final

from handlers.media.budget import CannotRead

SCHEME: Final = "data:"
_MARK: Final = ";base64"
_MAX_HEAD: Final = 256  # characters before the comma
_UNIT: Final = 4  # characters of base64, for three bytes
_PADDING: Final = "="
# As many are decoded at once, in less than a millisecond, for which no other thread runs.
_SLICE: Final = 2**18


def is_data_url(source: str) -> bool:
    return source[: len(SCHEME)].lower() == SCHEME


def data_url(base64: str) -> str:
    """Return base64 text as a data URL; what it holds is seen from the content."""
    return f"{SCHEME}{_MARK},{base64}"


def data_size(source: str) -> int:
    """Return the number of bytes of a data URL's content, or a little more; it is not decoded."""
    return max(len(source) - _head_length(source), 0) // _UNIT * 3


def decode(source: str) -> bytes:
    """Return the content. Raises CannotRead for what is no base64, blanks and missing padding included."""
    length = _head_length(source)
    if not source[: length - 1].lower().endswith(_MARK):
        raise CannotRead("a data URL begins with data:, a type and ;base64, and a comma")
    pieces: list[bytes] = []
    try:
        for start in range(length, len(source), _SLICE):
            if source[start - 1] == _PADDING:
                raise ValueError("there is more after the padding")
            pieces.append(binascii.a2b_base64(source[start : start + _SLICE], strict_mode=True))
    except ValueError as error:
        raise CannotRead("the data URL's content is no base64") from error
    return b"".join(pieces)


def _head_length(source: str) -> int:
    """Return the number of characters up to the comma, with it; 0 if there is none."""
    return source.find(",", 0, _MAX_HEAD) + 1
