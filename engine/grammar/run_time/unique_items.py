"""The run-time part of JSON Schema's uniqueItems: it excludes the tokens that would repeat an item.

A grammar cannot compare items, so its rules allow equal ones. Here the text is followed byte by byte, in a
grammar of the bytes. The rules of such an array allow two marks, which no text has: one where an item may
begin, one where an item has ended (`engine.grammar.schema.writing`). Items have one text for each value, so
that texts are compared. Two kinds of tokens are excluded: those that end an item equal to an earlier one, and
those after which only such items are left. So a text never comes to a place where it cannot go on.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
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
_COMMA, _OPEN, _CLOSE = b",[]"
_ENDS: Final = frozenset((_COMMA, _CLOSE))
_SEPARATOR: Final = b", "

Words = npt.NDArray[np.uint32]
"""The tokens that may come next, a bit each."""


class TokenIndex:
    """The tokens of a vocabulary in the order of their bytes, those without bytes left out."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self._ids = sorted((at for at, token in enumerate(tokens) if token), key=tokens.__getitem__)
        self._tokens = [tokens[token_id] for token_id in self._ids]
        pairs = list(zip(self._ids, self._tokens, strict=True))
        self.marked: Final = [token_id for token_id, token in pairs if not _MARKS.isdisjoint(token)]
        """The ids of those that hold a mark."""
        self.with_whole_item: Final = [token_id for token_id, token in pairs if _has_whole_item(token)]
        """The ids of those that may hold an item between two commas, or a bracket and a comma."""
        self.heads: Final = {
            b"",
            *(token[: token.find(_SEPARATOR)] for token in self._tokens if _SEPARATOR in token),
        }
        """What tokens have before a separator of items."""
        self._longest = max(map(len, self._tokens), default=0)

    def begun_by(self, text: bytes, shortest: int) -> Iterator[bytes]:
        """Yield the tokens that a text begins with, the longest first, down to a length."""
        for length in range(min(len(text), self._longest), shortest - 1, -1):
            if self.equal(text[:length]):
                yield text[:length]

    def beginning(self, text: bytes) -> list[int]:
        """Return the ids of the tokens that begin with a text."""
        first = bisect_left(self._tokens, text)
        return self._ids[first : bisect_left(self._tokens, _after(text), first)]

    def equal(self, text: bytes) -> list[int]:
        """Return the ids of the tokens of exactly these bytes."""
        return self._ids[bisect_left(self._tokens, text) : bisect_right(self._tokens, text)]


class UniqueItems:
    """The arrays of one grammar whose items have to be different."""

    def __init__(self, grammar: str, num_arrays: int, index: TokenIndex) -> None:
        """grammar: in Lark. num_arrays: those that have marks, numbered from 0."""
        self._matcher = ByteMatcher(grammar)
        self.marks = [_mark(ITEM_MARK, number) for number in range(num_arrays)]
        self.end_marks = [_mark(END_MARK, number) for number in range(num_arrays)]
        self.index = index

    def start(self) -> "UniqueItemsFollower":
        """Return the state of a text before its first token."""
        return UniqueItemsFollower(self, self._matcher.copy())


class _OpenArray:
    """An array that the text is in, and the items that it has had."""

    def __init__(self, end_mark: bytes, mark: bytes) -> None:
        self.end_mark = end_mark
        self.mark = mark
        self.items: list[bytes] = []
        self.item: bytes | None = b""  # None between a comma and the next item
        self.is_whole = False  # whether the item may end here

    def copy(self) -> "_OpenArray":
        other = copy(self)
        other.items = [*self.items]
        return other


class UniqueItemsFollower:
    """The arrays with different items that one text is in."""

    def __init__(self, arrays: UniqueItems, matcher: ByteMatcher) -> None:
        self._arrays = arrays
        self._matcher = matcher
        self._open: list[_OpenArray] = []

    def accept(self, token: bytes) -> None:
        """Follow the bytes of a token that the grammar allows."""
        for byte in token:
            self._follow(byte)

    def copy(self) -> "UniqueItemsFollower":
        """Return a follower at the same place, which goes on by itself."""
        other = UniqueItemsFollower(self._arrays, self._matcher.copy())
        other._open = [one.copy() for one in self._open]
        return other

    def exclude(self, allowed: Words) -> None:
        """Clear the bits of the tokens that may not come next, of those that the grammar allows."""
        index = self._arrays.index
        found = {*index.marked, *(index.with_whole_item if self._open else ())}
        for one in self._open:
            found.update(self._repeating(one))
        places = np.array([*found], dtype=np.uint32)
        np.bitwise_and.at(allowed, places // 32, ~(np.uint32(1) << (places % 32)))

    def _follow(self, byte: int) -> None:
        self._open = [one for one in self._open if not (byte == _CLOSE and one.is_whole)]
        for one in self._open:
            if one.is_whole and byte == _COMMA and one.item is not None:
                one.items.append(one.item)
                one.item = None
            elif one.item is not None:
                one.item += bytes([byte])
        self._matcher.follow(bytes([byte]))
        for one in self._open:
            if one.item is None:
                one.item = b"" if self._matcher.can_read(one.mark) else None
            one.is_whole = one.item is not None and self._matcher.can_read(one.end_mark)
        if byte == _OPEN and not self._matcher.can_read(_FREE_TEXT):
            self._open += [
                _OpenArray(end_mark, mark)
                for mark, end_mark in zip(self._arrays.marks, self._arrays.end_marks, strict=True)
                if self._matcher.can_read(mark)
            ]

    def _repeating(self, one: _OpenArray) -> Iterator[int]:
        """Yield the ids of the tokens that repeat an item, or lead to such items only."""
        if one.item is None:
            yield from self._leading_to(one, b" ", one.items)
            return
        item = one.item
        alike = [other[len(item) :] for other in one.items if other.startswith(item)]
        yield from self._leading_to(one, b"", alike)
        for head in self._arrays.index.heads:
            if self._matcher.can_read(head + one.end_mark):
                yield from self._leading_to(one, head + _SEPARATOR, [*one.items, item + head])

    def _leading_to(self, one: _OpenArray, lead: bytes, rests: list[bytes]) -> Iterator[int]:
        """Yield the ids of the tokens that lead to one of these texts as a whole item, and to nothing else.

        lead: what comes before each of them.
        """
        if not self._matcher.can_read(lead):
            return
        index = self._arrays.index
        texts = [lead + rest for rest in dict.fromkeys(rests)]
        is_dead: dict[bytes, bool] = {}
        for text in texts:
            for end in _ENDS:
                yield from index.beginning(text + bytes([end]))
            # If a text leads to something else, so does each shorter one that it begins with.
            for begun in index.begun_by(text, max(len(lead) - 1, 1)):
                if begun not in is_dead:
                    is_dead[begun] = _is_dead(self._matcher, one.end_mark, begun, texts)
                if not is_dead[begun]:
                    break
                yield from index.equal(begun)


def _is_dead(matcher: ByteMatcher, end_mark: bytes, begun: bytes, texts: list[bytes]) -> bool:
    """Return whether only these texts can be written as whole items after what has been begun."""
    waiting = [(begun, [text for text in texts if text.startswith(begun)])]
    while waiting:
        text, alike = waiting.pop()
        state = matcher.copy()
        state.follow(text)
        following = state.next_bytes() - _MARKS
        if state.can_read(end_mark):
            if text not in alike:
                return False
            following -= _ENDS
        for byte in following:
            longer = text + bytes([byte])
            inner = [one for one in alike if one.startswith(longer)]
            if not inner:
                return False
            waiting.append((longer, inner))
    return True


def _has_whole_item(token: bytes) -> bool:
    """Return whether an item may begin and end inside the token."""
    _, separator, rest = token.partition(_SEPARATOR)
    if separator and any(end in rest for end in _ENDS):
        return True
    _, bracket, rest = token.partition(b"[")
    return bool(bracket) and _COMMA in rest


def _after(text: bytes) -> bytes:
    """Return a text that is greater than all that begin with this one."""
    return text + b"\xff" * 64


def _mark(sign: str, number: int) -> bytes:
    return f"{sign}{number}{sign}".encode()
