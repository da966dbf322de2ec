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

# So few strings are cut out one by one: of an image in base64, sixteen times as fast as by the pattern.
_FEW_QUOTES: Final = 2_000

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class TooManyValues(Exception):
    """A body has too many values. field: the member that holds most of them; empty if that is not known."""

    def __init__(self, field: str) -> None:
        super().__init__("has more values than a request may have")
        self.field = field


def check_structure(raw: bytes) -> None:
    """Raises TooManyValues for a body of JSON text with more values than are allowed."""
    if _has_many(raw):
        raise TooManyValues(_largest_member(raw))


def _has_many(raw: bytes) -> bool:
    if raw.count(b'"') <= _FEW_QUOTES:
        return _has_many_signs(_without_few_strings(raw))
    if raw.count(b'"') <= 2 * _MAX_STRINGS and not _has_many_signs(raw):  # within strings too
        return False
    outside, num_strings = _STRING.subn(b"", raw, count=_MAX_STRINGS + 1)
    return num_strings > _MAX_STRINGS or _has_many_signs(outside)


def _has_many_signs(text: bytes) -> bool:
    return (
        text.count(b"{") + text.count(b"[") > _MAX_OBJECTS
        or text.count(b":") > _MAX_MEMBERS
        or text.count(b"e") + text.count(b"E") > _MAX_EXPONENTS
        or text.count(b",") > _MAX_ITEMS
    )


def _without_few_strings(raw: bytes) -> bytes:
    """Return what stands outside of strings, and from the first string on that does not end."""
    pieces: list[bytes] = []
    end = 0
    while (start := raw.find(b'"', end)) >= 0:
        close = _closing_quote(raw, start)
        if close < 0:
            break
        pieces.append(raw[end:start])
        end = close + 1
    return b"".join((*pieces, raw[end:]))


def _closing_quote(raw: bytes, start: int) -> int:
    """Return the place of the quote that ends the string which begins at `start`; -1 if none does."""
    at = start + 1
    while (close := raw.find(b'"', at)) >= 0:
        before = raw[at:close]  # no more than this, so that each byte is looked at once
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return close
        at = close + 1
    return -1


def _largest_member(raw: bytes) -> str:
    """Return the name of the longest member of the body, without parsing the members."""
    try:
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return ""
    return max(members, key=lambda name: len(bytes(members[name])), default="")
