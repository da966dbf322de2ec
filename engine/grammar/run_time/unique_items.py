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
_MAX_KNOWN: Final = 256  # beginnings of items of which is kept what may follow, and the bytes of each
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

    used: in the order of the array; with each the length of the shortest beginning of it that only used ones
    have, None if it has none. excluded: the tokens that may not begin an item, by what stands before it.
    """

    def __init__(self, start: ByteMatcher, end_mark: bytes, index: TokenIndex) -> None:
        """start: the state before the item."""
        self._start = start
        self._end_mark = end_mark
        self._index = index
        self._known: dict[bytes, tuple[set[int], bool]] = {}
        self._dead: set[bytes] = set()  # the shortest beginnings that only used ones have
        self.used: dict[bytes, int | None] = {}
        self.excluded: dict[bytes, set[int]] = {b"": set(), _BLANK: set()}

    def copy(self) -> "_Values":
        other = copy(self)
        other.used, other._dead = {**self.used}, {*self._dead}
        other.excluded = {before: {*found} for before, found in self.excluded.items()}
        return other

    @property
    def are_all_used(self) -> bool:
        return b"" in self._dead

    def use(self, items: Iterable[bytes]) -> None:
        """Exclude these from now on."""
        for item in items:
            self.used[item] = None
            state = self._start.copy()
            if not state.follow(item):
                continue  # no value at this place
            for at in range(len(item), -1, -1):
                if not self._is_dead(item[:at], state):
                    break
                self._dead.discard(item[: at + 1])
                self._dead.add(item[:at])
                self.used[item] = at
                state.rollback(min(at, 1))
            if (length := self.used[item]) is not None:
                alike = [other for other in self.used if other.startswith(item[:length])]
                self.used |= dict.fromkeys(alike, length)
            for before, found in self.excluded.items():
                found.update(self._repeating(item, 0, before))

    def repeating(self, begun: bytes) -> Iterator[int]:
        """Yield the ids of the tokens that lead from the beginning of an item to used ones only."""
        for item in self.used:
            if item.startswith(begun):
                yield from self._repeating(item, len(begun))

    def has_others(self, text: bytes, at: int) -> bool:
        """Return whether a value is left that begins as the text up to a place, and not as it is there."""
        begun = text[:at]
        following, may_end = self._after(begun)
        return (may_end and begun not in self.used) or self._leads_on(begun, following - {text[at]})

    def has_longer(self, begun: bytes) -> bool:
        """Return whether a value is left that begins with this text and goes on."""
        return self._leads_on(begun, self._after(begun)[0])

    def _leads_on(self, begun: bytes, following: set[int]) -> bool:
        return any(begun + bytes([byte]) not in self._dead for byte in following)

    def _repeating(self, item: bytes, at: int, before: bytes = b"") -> list[int]:
        if (length := self.used[item]) is not None:
            return self._index.beginning(before + item[at : max(length, 1)])
        rest = before + item[at:]
        return [*self._index.beginning(rest + _COMMA), *self._index.beginning(rest + _CLOSE)]

    def _is_dead(self, begun: bytes, state: ByteMatcher) -> bool:
        """Return whether only used ones begin with this text. state: after it."""
        following, may_end = self._after(begun, state)
        return not (may_end and begun not in self.used) and not self._leads_on(begun, following)

    def _after(self, begun: bytes, state: ByteMatcher | None = None) -> tuple[set[int], bool]:
        """Return the bytes that an item may go on with, and whether it may end there."""
        if (known := self._known.get(begun)) is not None:
            return known
        if state is None:
            state = self._start.copy()
            state.follow(begun)
        may_end = state.can_read(self._end_mark)
        found = state.next_bytes().difference(_MARKS, _ENDS if may_end or not begun else ()), may_end
        if len(self._known) < _MAX_KNOWN and len(begun) < _MAX_KNOWN:
            self._known[begun] = found
        return found


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
        self._num_checked = 0  # bytes of the item, which stand for all values that are left
        self._has_others = False  # whether others are left than those that begin as the item does

    def copy(self) -> "_OpenArray":
        other = copy(self)
        other._values = self._values.copy()
        return other

    def is_ended_by(self, sign: bytes, matcher: ByteMatcher) -> bool:
        """Return whether a comma or bracket ends the current item, or the array without one."""
        return self.item is not None and (
            matcher.can_read(self._end_mark) or (sign == _CLOSE and not self.item)
        )

    def follow(self, part: bytes) -> None:
        self.item = part.removeprefix(_BLANK) if self.item is None else self.item + part

    def end_item(self, matcher: ByteMatcher) -> None:
        """Go on to the next item. matcher: the state before the comma."""
        assert self.item is not None
        if self._has_other_values_next():
            self._values = self._next_values(matcher, self.item)
        else:
            self._values.use([self.item])
        self.item, self._num_checked, self._has_others = None, 0, False

    def exclude(self, allowed: Words, matcher: ByteMatcher) -> None:
        """Clear the bits of the tokens that may not come next."""
        item, values = self.item, self._values
        allowed &= self._index.within_item
        if item is None:
            _clear(allowed, values.excluded[_BLANK])
            return
        _clear(allowed, values.repeating(item) if item else values.excluded[b""])
        while not self._has_others and self._num_checked < len(item):
            self._has_others = values.has_others(item, self._num_checked)
            self._num_checked += 1
        if self._has_other_values_next() or not self._has_others:
            allowed &= self._index.without_comma
            if matcher.can_read(self._end_mark) and self._is_last(matcher, item):
                _clear(allowed, self._index.beginning(_COMMA))

    def _is_last(self, matcher: ByteMatcher, item: bytes) -> bool:
        """Return whether no value is left after this item, if none is that begins in another way."""
        if self._has_other_values_next():
            return self._next_values(matcher, item).are_all_used
        return not self._values.has_longer(item)

    def _has_other_values_next(self) -> bool:
        return len(self._values.used) < self._num_prefix

    def _next_values(self, matcher: ByteMatcher, item: bytes) -> _Values:
        """Return the values of the item after this one, if it has other values."""
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
        is_end = part in (_COMMA, _CLOSE)
        ended = [one for one in self._open if is_end and one.is_ended_by(part, self._matcher)]
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


def _clear(allowed: Words, token_ids: Iterable[int]) -> None:
    places = np.array([*token_ids], dtype=np.uint32)
    np.bitwise_and.at(allowed, places // 32, ~(np.uint32(1) << (places % 32)))


def _mark(sign: str, number: int) -> bytes:
    return f"{sign}{number}{sign}".encode()
