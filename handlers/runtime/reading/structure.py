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

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class TooManyValues(Exception):
    """A body has too many values. field: the member that holds most of them; empty if that is not known."""

    def __init__(self, field: str) -> None:
        super().__init__("has more values than a request may have")
        self.field = field


def check_structure(raw: bytes) -> None:
    """Raises TooManyValues for a body of JSON text with more values than are allowed."""
    if _may_have_many(raw) and _has_many(raw):
        raise TooManyValues(_largest_member(raw))


def _may_have_many(raw: bytes) -> bool:
    """Return whether the body has as many of these characters, within strings too."""
    return (
        raw.count(b"{") + raw.count(b"[") > _MAX_OBJECTS
        or raw.count(b":") > _MAX_MEMBERS
        or raw.count(b'"') > 2 * _MAX_STRINGS
        or raw.count(b"e") + raw.count(b"E") > _MAX_EXPONENTS
        or raw.count(b",") > _MAX_ITEMS
    )


def _has_many(raw: bytes) -> bool:
    outside, num_strings = _STRING.subn(b"", raw, count=_MAX_STRINGS + 1)
    return (
        num_strings > _MAX_STRINGS
        or outside.count(b"{") + outside.count(b"[") > _MAX_OBJECTS
        or outside.count(b":") > _MAX_MEMBERS
        or outside.count(b"e") + outside.count(b"E") > _MAX_EXPONENTS
        or outside.count(b",") > _MAX_ITEMS
    )


def _largest_member(raw: bytes) -> str:
    """Return the name of the longest member of the body, without parsing the members."""
    try:
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return ""
    return max(members, key=lambda name: len(bytes(members[name])), default="")
