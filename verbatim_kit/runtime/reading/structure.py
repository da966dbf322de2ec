"""The number of values in a body, counted before any of them is built.

Parsing and validating two megabytes of text takes milliseconds; of a million arrays, seconds, in which the
interpreter does nothing else. No client needs so many.
"""

import re
from typing import Final

import msgspec

# As many of one kind take some tens of milliseconds to validate. An agent with a thousand turns and 128 tools
# behind it sends half of each.
_MAX_OBJECTS: Final = 12_000  # and arrays
_MAX_MEMBERS: Final = 20_000  # of all objects
_MAX_STRINGS: Final = 60_000  # and names of members
_MAX_EXPONENTS: Final = 10_000  # which make an integer of any length; true and false count as one
_MAX_ITEMS: Final = 300_000  # token ids, which are the least work: as many as OpenAI embeds in one request

# Strings are cut out one by one where they are so few, or as long as this on average. Of an image in base64
# that is many times as fast as by the pattern, which keeps the interpreter's lock until it has read it all.
_FEW_QUOTES: Final = 2_000
_LONG_BYTES: Final = 256  # from one quote to the next
_TAIL_BYTES: Final = 64  # of a string, which is rarely all backslashes

# In so short a body nothing can be too many, and the pattern reads it in some microseconds.
SHORT_BYTES: Final = 8_192

# A string that does not end goes to the end of the text: the search would begin anew at each of its quotes.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


class TooManyValues(Exception):
    """A body has too many values. field: the member that holds most of them; empty if that is not known."""

    def __init__(self, field: str) -> None:
        super().__init__("has more values than a request may have")
        self.field = field


def check_structure(raw: bytes) -> bytes:
    """Return the text without its strings, or where these are many and short, perhaps with them.

    Raises TooManyValues for a body of JSON text with more values than are allowed.
    """
    if len(raw) <= SHORT_BYTES:
        return _STRING.sub(b"", raw)
    outside = _without_long_strings(raw)
    if outside is None:
        outside = _without_many_strings(raw)
    elif _has_many_signs(outside):
        outside = None
    if outside is None:
        raise TooManyValues(_largest_member(raw))
    return outside


def _without_many_strings(raw: bytes) -> bytes | None:
    """Return what stands outside of strings, or all if even that is not too much; None if it is too much."""
    if raw.count(b'"') <= 2 * _MAX_STRINGS and not _has_many_signs(raw):
        return raw
    outside, num_strings = _STRING.subn(b"", raw, count=_MAX_STRINGS + 1)
    return None if num_strings > _MAX_STRINGS or _has_many_signs(outside) else outside


def _has_many_signs(text: bytes) -> bool:
    return (
        text.count(b"{") + text.count(b"[") > _MAX_OBJECTS
        or text.count(b":") > _MAX_MEMBERS
        or text.count(b"e") + text.count(b"E") > _MAX_EXPONENTS
        or text.count(b",") > _MAX_ITEMS
    )


def _without_long_strings(raw: bytes) -> bytes | None:
    """Return what stands outside of strings, and from the first string on that does not end; None where
    quotes are many and close together.
    """
    pieces: list[bytes] = []
    max_quotes = max(_FEW_QUOTES, len(raw) // _LONG_BYTES)
    end = num_quotes = 0
    start = after = -1  # of the string, and the place behind its last quote that was found
    while (quote := raw.find(b'"', max(after, end))) >= 0:
        num_quotes += 1
        if num_quotes > max_quotes:
            return None
        if start < 0:
            start = quote
        elif _num_backslashes(raw, after, quote) % 2 == 0:
            pieces.append(raw[end:start])
            start, end = -1, quote + 1
        after = quote + 1
    return b"".join((*pieces, raw[end:]))


def _num_backslashes(raw: bytes, start: int, end: int) -> int:
    """Return the number of backslashes before `end`; those before `start` are not looked at."""
    tail = raw[max(start, end - _TAIL_BYTES) : end]
    if tail and not tail.strip(b"\\"):
        tail = raw[start:end]
    return len(tail) - len(tail.rstrip(b"\\"))


def _largest_member(raw: bytes) -> str:
    """Return the name of the longest member of the body, without parsing the members."""
    try:
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return ""
    return max(members, key=lambda name: len(bytes(members[name])), default="")
