"""The run-time part of JSON Schema's minLength and maxLength: it excludes the tokens that would make a string
too short or too long.

A count inside a grammar makes a state of every place in the string, and each state has a mask of its own. So
the rules of such a string (`schema.counted_strings`) allow any length, and here its characters are counted.
Right behind its opening quote they also allow a marker, which no token has and which names the two bounds. A
text that the grammar can read in several ways keeps to the bounds of all of them.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from engine.grammar.run_time.unique_items import MARK, NO_MARKER

INSIDE: Final = f"{MARK}c{MARK}"  # a marker between any two characters of a counted string

_QUOTE, _BACKSLASH, _U = b'"\\u'
# The part of a character that is left to read: nothing; so many bytes of UTF-8; so many digits after \u; all
# that follows a backslash.
_NOTHING, _ESCAPED = 0, 8
_DIGITS = 3  # and one to four more
_MAX_CACHED_MASKS = 512  # of a vocabulary

Words = npt.NDArray[np.uint32]
CanRead = Callable[[bytes], bool]  # whether the grammar can read a text next


class StringLength(msgspec.Struct, frozen=True):
    """The bounds of strings of a grammar, in characters. high: None if there is none."""

    low: int
    high: int | None

    @property
    def marker(self) -> str:
        """The text that the grammar allows behind the opening quote of a string with these bounds."""
        return f"{MARK}{self.low}-{'' if self.high is None else self.high}{MARK}"

    def allows(self, num_characters: int) -> bool:
        return self.low <= num_characters and (self.high is None or num_characters <= self.high)


class StringPart(NamedTuple):
    """The part of a token that is in a string: how many characters begin in it, and whether the string ends.
    rest: the part of the last one that is left to read."""

    num_characters: int
    closes: bool
    rest: int


def part_in_string(token: bytes, rest: int) -> StringPart:
    """Return the part of a token that is in a string. rest: what is left of the character before it."""
    num_characters = 0
    for byte in token:
        if rest == _NOTHING and byte == _QUOTE:
            return StringPart(num_characters, True, _NOTHING)
        num_characters += rest == _NOTHING
        rest = rest_after(byte, rest)
    return StringPart(num_characters, False, rest)


def rest_after(byte: int, rest: int) -> int:
    """Return what is left of a character after one byte of it."""
    if rest == _NOTHING:
        if byte == _BACKSLASH:
            return _ESCAPED
        return 0 if byte < 0xC0 else 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
    if rest == _ESCAPED:
        return _DIGITS + 4 if byte == _U else _NOTHING
    return _NOTHING if rest == _DIGITS + 1 else rest - 1


class _Opening(NamedTuple):
    """A quote in a token that other bytes follow: the bytes up to it, and the string behind it."""

    token_id: int
    before: bytes
    num_characters: int
    closes: bool


class StringTokens:
    """The tokens of a vocabulary as parts of strings."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self._tokens = tokens
        self._num_words = -(-len(tokens) // 32)
        self._bytes = np.frombuffer(b"".join(tokens), np.uint8)
        self._ends = np.cumsum([len(token) for token in tokens])
        self._quotes = np.flatnonzero(self._bytes == _QUOTE)
        self._num_leading = np.concatenate([[0], np.cumsum((self._bytes & 0xC0) != 0x80)])
        self.openings = [*self._openings()]
        self.unmarked = self._words(np.array([MARK.encode() not in token for token in tokens]))
        self.allowed = lru_cache(_MAX_CACHED_MASKS)(self._allowed)
        self._contents = lru_cache(_ESCAPED + 1)(self._make_contents)
        self.max_characters = int(self._contents(_NOTHING)[0].max(initial=0))

    def _allowed(self, rest: int, low: int, high: int) -> Words:
        """Return the bits of the tokens after which a string can have so many more characters.

        rest: what is left of the character before them. Bounds beyond `max_characters` make no difference.
        """
        num_characters, closes = self._contents(rest)
        return self._words((num_characters <= high) & ~(closes & (num_characters < low)))

    def _make_contents(self, rest: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return how many characters of a string begin in each token, and whether it ends there."""
        starts = self._ends - np.diff(self._ends, prepend=0)
        skipped = rest - _DIGITS if _DIGITS < rest < _ESCAPED else rest == _ESCAPED
        starts = np.minimum(starts + skipped, self._ends)
        at = np.searchsorted(self._quotes, starts)
        found = np.append(self._quotes, len(self._bytes))[at]
        closes = found < self._ends
        num_characters = self._num_leading[np.minimum(found, self._ends)] - self._num_leading[starts]
        for token_id, token in enumerate(self._tokens):
            if b"\\" in token or (rest == _ESCAPED and token[:1] == b"u"):
                num_characters[token_id], closes[token_id], _ = part_in_string(token, rest)
        return num_characters, closes

    def _openings(self) -> Iterable[_Opening]:
        for token_id, token in enumerate(self._tokens):
            at = token.find(b'"')
            while 0 <= at < len(token) - 1:
                inside = part_in_string(token[at + 1 :], _NOTHING)
                yield _Opening(token_id, token[: at + 1], inside.num_characters, inside.closes)
                at = token.find(b'"', at + 1)

    def _words(self, bits: npt.NDArray[np.bool_]) -> Words:
        padded = np.zeros(self._num_words * 32, bool)
        padded[: len(bits)] = bits
        return np.packbits(padded, bitorder="little").view(np.uint32)


class StringLengths:
    """All counted strings of a grammar, for one vocabulary."""

    def __init__(self, lengths: Sequence[StringLength], tokens: StringTokens) -> None:
        self.lengths = lengths
        self.tokens = tokens
        low = max(length.low for length in lengths)
        high = min(np.inf if length.high is None else length.high for length in lengths)
        # Those that may open a string and break its bounds at once.
        risky = [
            one
            for one in tokens.openings
            if one.num_characters > high or (one.closes and one.num_characters < low)
        ]
        self.risky_ids = np.array([one.token_id for one in risky], np.int64)
        self.risky = risky


class StringLengthFollower:
    """The counted string that one text is in, if it is in one."""

    def __init__(self, lengths: StringLengths) -> None:
        self._lengths = lengths
        self._bounds: StringLength | None = None
        self._count = 0
        self._rest = _NOTHING

    def needs_bytes(self, token: bytes) -> bool:
        """Return whether the token may begin a counted string; if not, `skip` follows it whole."""
        return _QUOTE in token

    def skip(self, token: bytes) -> None:
        """Follow a token that begins no string."""
        if self._bounds is not None:
            inside = part_in_string(token, self._rest)
            self._count += inside.num_characters
            self._rest = inside.rest

    def follow(self, byte: int, can_read: CanRead) -> None:
        """Follow one byte of the text. can_read: of the grammar, after the byte."""
        if self._bounds is None:
            if byte == _QUOTE:
                self._bounds, self._count, self._rest = self._opened(b"", can_read), 0, _NOTHING
        elif self._rest == _NOTHING and byte == _QUOTE:
            self._bounds = None
        else:
            self._count += self._rest == _NOTHING
            self._rest = rest_after(byte, self._rest)

    def leave(self) -> None:
        """Forget the string, since a token without text is in none."""
        self._bounds = None

    def exclude(self, allowed: Words, can_read: CanRead) -> None:
        """Clear the bits of the tokens that may not come next."""
        tokens = self._lengths.tokens
        allowed &= tokens.unmarked
        if self._bounds is not None:
            low, high = self._left(self._bounds)
            is_between = low == 0 and high > tokens.max_characters
            if not is_between and self._rest == _NOTHING and not can_read(INSIDE.encode()):
                self._bounds = None  # the text is in another string after all
            elif not is_between:
                allowed &= tokens.allowed(self._rest, low, high)
        self._exclude_openings(allowed, can_read)

    def copy(self) -> "StringLengthFollower":
        """Return a follower at the same place, which goes on alone."""
        return copy(self)

    def _left(self, bounds: StringLength) -> tuple[int, int]:
        """Return how many characters have to and may follow, as far as that makes a difference."""
        most = self._lengths.tokens.max_characters + 1
        high = most if bounds.high is None else min(bounds.high - self._count, most)
        return min(max(bounds.low - self._count, 0), most), high

    def _exclude_openings(self, allowed: Words, can_read: CanRead) -> None:
        """Clear the bits of tokens that would begin a counted string and break its bounds."""
        ids = self._lengths.risky_ids
        bounds: dict[bytes, StringLength | None] = {}
        for at in np.flatnonzero(allowed[ids // 32] >> (ids % 32).astype(np.uint32) & 1):
            opening = self._lengths.risky[at]
            if opening.before not in bounds:
                bounds[opening.before] = self._opened(opening.before, can_read)
            opened = bounds[opening.before]
            if opened is not None and _breaks(opening, opened):
                allowed[opening.token_id // 32] &= ~np.uint32(1 << opening.token_id % 32)

    def _opened(self, before: bytes, can_read: CanRead) -> StringLength | None:
        """Return the bounds of the string that these bytes open; None if it is not counted."""
        if not can_read(before + MARK.encode()) or can_read(before + NO_MARKER.encode()):
            return None
        found = [one for one in self._lengths.lengths if can_read(before + one.marker.encode())]
        if not found:
            return None
        highs = [one.high for one in found if one.high is not None]
        return StringLength(max(one.low for one in found), min(highs, default=None))


def _breaks(opening: _Opening, bounds: StringLength) -> bool:
    is_long = bounds.high is not None and opening.num_characters > bounds.high
    return is_long or (opening.closes and opening.num_characters < bounds.low)
