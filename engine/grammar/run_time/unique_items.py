"""The run-time part of JSON Schema's uniqueItems: it excludes the tokens that would repeat an item.

A grammar cannot compare items, so its rules allow equal ones. Here the text is followed in a grammar of the
bytes. The rules of such an array allow two marks, which no text has: one where an item may begin, one where
an item has ended (`engine.grammar.schema.writing`). Items have one text for each value, so that texts are
compared. Two kinds of tokens are excluded: those that end an item equal to an earlier one, and those after
which only such items are left. So a text never comes to a place where it cannot go on.

A mask takes little time, however many items there are: what an item excludes is found once, when it ends.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.grammar.lark.byte_matcher import ByteMatcher

ITEM_MARK: Final = "\x01"
"""Stands around the number of an array, where one of its items may begin; a control character."""
END_MARK: Final = "\x02"
"""Stands around that number where an item has ended."""

_FREE_TEXT: Final = f"{ITEM_MARK}-{ITEM_MARK}".encode()  # only free text allows it
_MARKS: Final = frozenset((ITEM_MARK.encode()[0], END_MARK.encode()[0]))
_COMMA, _OPEN, _CLOSE = b",", b"[", b"]"
_ENDS: Final = frozenset(b",]")
_PARTS: Final = re.compile(rb"[\[\],]|[^\[\],]+")
_BLANK: Final = b" "  # between a comma and the next item
_CROSSING: Final = re.compile(rb", .|\[.*,", re.DOTALL)

Words = npt.NDArray[np.uint32]
"""The tokens that may come next, a bit each."""


class TokenIndex:
    """The tokens of a vocabulary in the order of their bytes, those without bytes left out."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self._ids = sorted((at for at, token in enumerate(tokens) if token), key=tokens.__getitem__)
        self._tokens = [tokens[token_id] for token_id in self._ids]
        self.unmarked: Final = _all_but(tokens, lambda token: not _MARKS.isdisjoint(token))
        """All but those that hold a mark."""
        self.within_item: Final = _all_but(tokens, lambda token: bool(_CROSSING.search(token)))
        """All but those in which an item may begin after another, or after a bracket and end. The tokens of
        real models have letters and signs apart, so that few are left out."""
        self.without_comma: Final = _all_but(tokens, lambda token: _COMMA in token[1:])
        """All but those in which an item may end and a comma follow."""

    def beginning(self, text: bytes) -> list[int]:
        """Return the ids of the tokens that begin with a text."""
        first = bisect_left(self._tokens, text)
        return self._ids[first : bisect_left(self._tokens, text + b"\xff" * 64, first)]


def _all_but(tokens: Sequence[bytes], is_left_out: Callable[[bytes], bool]) -> Words:
    words = np.full(-(-len(tokens) // 32), 0xFFFFFFFF, np.uint32)
    _clear(words, (at for at, token in enumerate(tokens) if is_left_out(token)))
    return words


class UniqueItems:
    """The arrays of one grammar whose items have to be different."""

    def __init__(self, grammar: str, prefixes: Sequence[int], index: TokenIndex) -> None:
        """grammar: in Lark. prefixes: by the number of an array, how many of its first items have values of
        their own."""
        self._matcher = ByteMatcher(grammar)
        self.prefixes = prefixes
        self.index = index

    def start(self) -> "UniqueItemsFollower":
        """Return the state of a text before its first token."""
        return UniqueItemsFollower(self, self._matcher.copy())


class _Values:
    """The texts that an item may have at one place, some of which are used.

    used: in the order of the array. dead: the beginnings of used ones that no other text has. excluded: the
    tokens that may not begin an item, by what stands before it.
    """

    def __init__(self, start: ByteMatcher, end_mark: bytes, index: TokenIndex) -> None:
        """start: the state before the item."""
        self._start = start
        self._end_mark = end_mark
        self._index = index
        self._known: dict[bytes, tuple[set[int], bool]] = {}
        self.used: dict[bytes, None] = {}
        self.dead: set[bytes] = set()
        self.excluded: dict[bytes, set[int]] = {b"": set(), _BLANK: set()}

    def copy(self) -> "_Values":
        other = copy(self)
        other.used, other.dead = {**self.used}, {*self.dead}
        other.excluded = {before: {*found} for before, found in self.excluded.items()}
        return other

    def use(self, items: Iterable[bytes]) -> None:
        """Exclude these from now on."""
        for item in items:
            self.used[item] = None
            at = len(item)
            while at >= 0 and self._is_dead(item[:at]):
                self.dead.add(item[:at])
                at -= 1
            for before, found in self.excluded.items():
                found.update(self._repeating(item, b"", before))

    def repeating(self, begun: bytes) -> Iterator[int]:
        """Yield the ids of the tokens that lead from the beginning of an item to used ones only."""
        for item in self.used:
            if item.startswith(begun):
                yield from self._repeating(item, begun)

    def has_others(self, begun: bytes) -> bool:
        """Return whether a value is left that does not begin with this text."""
        for at in range(len(begun)):
            following, may_end = self._after(begun[:at])
            if may_end and begun[:at] not in self.used:
                return True
            if any(begun[:at] + bytes([b]) not in self.dead for b in following if b != begun[at]):
                return True
        return False

    def has_longer(self, begun: bytes) -> bool:
        """Return whether a value is left that begins with this text and goes on."""
        return any(begun + bytes([byte]) not in self.dead for byte in self._after(begun)[0])

    def _repeating(self, item: bytes, begun: bytes, before: bytes = b"") -> list[int]:
        at = len(item)
        while at > len(begun) and item[:at] in self.dead:
            at -= 1
        if at < len(item):
            return self._index.beginning(before + item[len(begun) : at + 1])
        rest = before + item[len(begun) :]
        return [*self._index.beginning(rest + _COMMA), *self._index.beginning(rest + _CLOSE)]

    def _is_dead(self, begun: bytes) -> bool:
        is_left = self._after(begun)[1] and begun not in self.used
        return not is_left and not self.has_longer(begun)

    def _after(self, begun: bytes) -> tuple[set[int], bool]:
        """Return the bytes that an item may go on with, and whether it may end there."""
        if begun not in self._known:
            state = self._start.copy()
            if not state.follow(begun):
                return set(), False
            may_end = state.can_read(self._end_mark)
            ends = _ENDS if may_end or not begun else ()
            self._known[begun] = state.next_bytes().difference(_MARKS, ends), may_end
        return self._known[begun]


class _OpenArray:
    """An array that the text is in.

    item: what is written of the current item; None between a comma and a blank.
    """

    def __init__(self, number: int, start: ByteMatcher, arrays: UniqueItems) -> None:
        self.number = number
        self._end_mark = _mark(END_MARK, number)
        self._num_prefix = arrays.prefixes[number]
        self._index = arrays.index
        self._values = _Values(start, self._end_mark, self._index)
        self.item: bytes | None = b""

    def copy(self) -> "_OpenArray":
        other = copy(self)
        other._values = self._values.copy()
        return other

    def is_ended_by(self, sign: bytes, matcher: ByteMatcher) -> bool:
        """Return whether a comma or bracket ends the current item, or the array without one."""
        return matcher.can_read(self._end_mark) or (sign == _CLOSE and self.item == b"")

    def follow(self, part: bytes) -> None:
        self.item = part.removeprefix(_BLANK) if self.item is None else self.item + part

    def end_item(self, matcher: ByteMatcher) -> None:
        """Go on to the next item. matcher: the state before the comma."""
        assert self.item is not None
        self._values = self._next_values(matcher, self.item)
        self.item = None

    def exclude(self, allowed: Words, matcher: ByteMatcher) -> None:
        """Clear the bits of the tokens that may not come next."""
        item, values = self.item, self._values
        allowed &= self._index.within_item
        if item is None:
            _clear(allowed, values.excluded[_BLANK])
            return
        _clear(allowed, values.repeating(item) if item else values.excluded[b""])
        if self._has_other_values_next() or not values.has_others(item):
            allowed &= self._index.without_comma
            if matcher.can_read(self._end_mark) and self._is_last(matcher, item):
                _clear(allowed, self._index.beginning(_COMMA))

    def _is_last(self, matcher: ByteMatcher, item: bytes) -> bool:
        """Return whether no value is left after this item, if none is that does not begin with it."""
        if self._has_other_values_next():
            return b"" in self._next_values(matcher, item).dead
        return not self._values.has_longer(item)

    def _has_other_values_next(self) -> bool:
        return len(self._values.used) < self._num_prefix

    def _next_values(self, matcher: ByteMatcher, item: bytes) -> _Values:
        """Return the values of the item after this one."""
        if not self._has_other_values_next():
            self._values.use([item])
            return self._values
        start = matcher.copy()
        start.follow(_COMMA + _BLANK)
        values = _Values(start, self._end_mark, self._index)
        values.use([*self._values.used, item])
        return values


class UniqueItemsFollower:
    """The arrays with different items that one text is in."""

    def __init__(self, arrays: UniqueItems, matcher: ByteMatcher) -> None:
        self._arrays = arrays
        self._matcher = matcher
        self._open: list[_OpenArray] = []

    def accept(self, token: bytes) -> None:
        """Follow the bytes of a token that the grammar allows."""
        for part in _PARTS.findall(token):
            self._follow(part)

    def copy(self) -> "UniqueItemsFollower":
        """Return a follower at the same place, which goes on by itself."""
        other = UniqueItemsFollower(self._arrays, self._matcher.copy())
        other._open = [one.copy() for one in self._open]
        return other

    def exclude(self, allowed: Words) -> None:
        """Clear the bits of the tokens that may not come next, of those that the grammar allows."""
        allowed &= self._arrays.index.unmarked
        for one in self._open:
            one.exclude(allowed, self._matcher)

    def _follow(self, part: bytes) -> None:
        ended = [one for one in self._open if part in (_COMMA, _CLOSE) and self._is_ended(one, part)]
        for one in self._open:
            if one not in ended:
                one.follow(part)
            elif part == _COMMA:
                one.end_item(self._matcher)
        if part == _CLOSE:
            self._open = [one for one in self._open if one not in ended]
        self._matcher.follow(part)
        if part == _OPEN and not self._matcher.can_read(_FREE_TEXT):
            opened = [
                _OpenArray(number, self._matcher.copy(), self._arrays)
                for number in range(len(self._arrays.prefixes))
                if self._matcher.can_read(_mark(ITEM_MARK, number))
            ]
            # One that was taken for this array, and was another, is still there.
            numbers = [one.number for one in opened]
            self._open = [*(one for one in self._open if one.number not in numbers), *opened]

    def _is_ended(self, one: _OpenArray, sign: bytes) -> bool:
        return one.item is not None and one.is_ended_by(sign, self._matcher)


def _clear(allowed: Words, token_ids: Iterable[int]) -> None:
    places = np.array([*token_ids], dtype=np.uint32)
    np.bitwise_and.at(allowed, places // 32, ~(np.uint32(1) << (places % 32)))


def _mark(sign: str, number: int) -> bytes:
    return f"{sign}{number}{sign}".encode()
