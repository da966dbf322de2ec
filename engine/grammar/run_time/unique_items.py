"""The run-time part of JSON Schema's uniqueItems: it excludes the tokens that would repeat an item.

A grammar cannot compare items, so its rules allow equal ones (`schema.automaton_rules`). Here the text is
followed byte by byte. Where an array with different items opens, its marker can be read, which the rules
allow in place of an item and which no token has. From there on an automaton of the items says where each one
ends. Two kinds of tokens are excluded: those that end an item equal to an earlier one, and those after which
only such items are left. So a text never comes to a place where it cannot go on.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from enum import Enum, auto
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from engine.grammar.automata.automaton import Automaton

MARK: Final = "\x01"  # a control character, which no JSON text has
NO_MARKER: Final = f"{MARK}-{MARK}"  # only free text allows it

_COMMA, _BLANK, _OPEN, _CLOSE = b", []"
_START = 0  # of an automaton

Span = tuple[int, int]


class UniqueItems(msgspec.Struct, frozen=True):
    """The items of one array of a grammar, which have to be different.

    marker: a text that the grammar allows wherever an item of that array may begin.
    arcs, accepting: the automaton of the bytes of an item, which has one text for each value.
    """

    marker: str
    arcs: list[list[tuple[int, int, int]]]
    accepting: list[int]


class TokenIndex:
    """The tokens of a vocabulary in the order of their bytes, those without bytes left out."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self.ids = sorted((at for at, token in enumerate(tokens) if token), key=tokens.__getitem__)
        self.tokens = [tokens[token_id] for token_id in self.ids]
        self.whole: Span = (0, len(self.tokens))
        self.marked = self._holding(MARK.encode())
        self.separating = self._holding(b", ")
        self.opening = self._holding(b"[")

    def narrowed(self, span: Span, depth: int, byte: int) -> Span:
        """Return the part of a span of tokens with that byte at `depth`; their bytes before are equal."""
        low, high = (
            bisect_left(self.tokens, at, *span, key=lambda token: token[depth] if len(token) > depth else -1)
            for at in (byte, byte + 1)
        )
        return low, high

    def _holding(self, text: bytes) -> list[int]:
        return [at for at, token in enumerate(self.tokens) if text in token]


class _Outcome(Enum):
    """The outcome of a token for an array that a text is in."""

    NEW = auto()  # no item is repeated, nor only such items left
    REPEATED = auto()
    FOREIGN = auto()  # the text is not in that array after all


class _Array:
    """The items of an array of a grammar, for one vocabulary; shared by all sequences."""

    def __init__(self, items: UniqueItems, index: TokenIndex) -> None:
        self.marker = items.marker
        self.index = index
        self.accepting = frozenset(items.accepting)
        self.num_left = Automaton(items.arcs, set(self.accepting)).num_texts()
        self._steps = [
            {byte: target for low, high, target in arcs for byte in range(low, high + 1)}
            for arcs in items.arcs
        ]
        self.separating = [at for at in index.separating if self._begins_item(index.tokens[at], b", ")]
        openers = [at for at in index.opening if self._begins_item(index.tokens[at], b"[")]
        # Tokens that hold two equal items of an array that they open.
        self.repeating = [at for at in openers if not self._is_fine_after_open(index.tokens[at])]

    def step(self, state: int, byte: int) -> int | None:
        return self._steps[state].get(byte)

    def _begins_item(self, token: bytes, before: bytes) -> bool:
        return any(self.step(_START, token[at]) is not None for at in _ends(token, before) if at < len(token))

    def _is_fine_after_open(self, token: bytes) -> bool:
        outcomes = (_OpenArray(self).outcome(token[at:]) for at in _ends(token, b"["))
        return _Outcome.REPEATED not in outcomes


def _ends(token: bytes, part: bytes) -> Iterator[int]:
    """Yield the places behind each occurrence of a part."""
    at = token.find(part)
    while at >= 0:
        yield at + len(part)
        at = token.find(part, at + 1)


class _OpenArray:
    """An array that a text is in, and the items that it has had."""

    def __init__(self, array: _Array) -> None:
        self.array = array
        self._items: list[bytes] = []
        self._begin_item()

    def _begin_item(self) -> None:
        self._item = b""
        self._state: int | None = _START  # None between a comma and the item behind it
        self._alike = self._items  # those that begin as this one does

    def follow(self, byte: int, can_begin: Callable[[], bool]) -> bool:
        """Follow one byte. Returns False if the array has ended, or the text is not in it after all.

        can_begin: whether an item of this array may begin after the byte.
        """
        if self._state is None:
            if byte != _BLANK or not can_begin():
                return False
            self._begin_item()
            return True
        if (target := self.array.step(self._state, byte)) is not None:
            self._alike = _with_byte(self._alike, len(self._item), byte)
            self._item += bytes([byte])
            self._state = target
            return True
        if byte != _COMMA or self._state not in self.array.accepting:
            return False
        self._items.append(self._item)
        self._state = None
        return True

    def copy(self) -> "_OpenArray":
        """Return the same place in the array, with items of its own."""
        other = copy(self)
        other._items = [*self._items]
        return other

    def excluded(self) -> Iterator[int]:
        """Yield the places in the index of the tokens that may not come next."""
        index = self.array.index
        for at in self.array.separating:
            if self.outcome(index.tokens[at]) is _Outcome.REPEATED:
                yield at
        if self._state is None:
            span = index.narrowed(index.whole, 0, _BLANK)
            yield from self._repeating(self._items, _START, span, 1, -1)
        else:
            yield from self._repeating(self._alike, self._state, index.whole, 0, len(self._item))

    def _repeating(
        self, alike: list[bytes], state: int, span: Span, depth: int, offset: int
    ) -> Iterator[int]:
        """Yield the tokens of a span that lead to one of these items alone.

        depth: the number of bytes of the tokens that have led to the state. offset: where in the item the
            tokens begin.
        """
        array, index = self.array, self.array.index
        waiting = [(alike, state, span, depth)] if alike else []
        while waiting:
            alike, state, span, depth = waiting.pop()
            if len(alike) == array.num_left[state] and depth:
                yield from range(*span)
                continue
            if any(len(item) == offset + depth for item in alike):
                for byte in (_COMMA, _CLOSE):
                    yield from range(*index.narrowed(span, depth, byte))
            for byte in {item[offset + depth] for item in alike if len(item) > offset + depth}:
                low, high = index.narrowed(span, depth, byte)
                target = array.step(state, byte)
                if low < high and target is not None:
                    inner = _with_byte(alike, offset + depth, byte)
                    waiting.append((inner, target, (low, high), depth + 1))

    def outcome(self, token: bytes) -> _Outcome:
        """Return the outcome of a token, as far as it is of this array."""
        state, item, alike, items = self._state, self._item, self._alike, self._items
        for byte in token:
            if state is None:
                if byte != _BLANK:
                    return _Outcome.FOREIGN
                state, item, alike = _START, b"", items
            elif (target := self.array.step(state, byte)) is not None:
                alike = _with_byte(alike, len(item), byte)
                state, item = target, item + bytes([byte])
                if alike and len(alike) == self.array.num_left[state]:
                    return _Outcome.REPEATED
            elif state not in self.array.accepting or byte not in (_COMMA, _CLOSE):
                return _Outcome.FOREIGN
            elif item in alike:
                return _Outcome.REPEATED
            elif byte == _CLOSE:
                return _Outcome.NEW
            else:
                items = [*items, item]
                state = None
        return _Outcome.NEW


def _with_byte(items: list[bytes], at: int, byte: int) -> list[bytes]:
    """Return the items that have this byte at that place."""
    return [item for item in items if len(item) > at and item[at] == byte]


class UniqueArrays:
    """All arrays of a grammar whose items have to be different, for one vocabulary."""

    def __init__(self, items: Iterable[UniqueItems], index: TokenIndex) -> None:
        self.arrays = [_Array(one, index) for one in items]
        self.index = index
        # No text has these.
        self.never = sorted({*index.marked, *(at for array in self.arrays for at in array.repeating)})


class UniqueItemsFollower:
    """The arrays with different items that one text is in."""

    def __init__(self, arrays: UniqueArrays) -> None:
        self._arrays = arrays
        self._open: list[_OpenArray] = []

    def needs_bytes(self, token: bytes) -> bool:
        """Return whether the token may open an array or goes on with one; if not, `skip` follows it."""
        return bool(self._open) or _OPEN in token

    def skip(self, token: bytes) -> None:
        """Follow a token that is of no array."""

    def follow(self, byte: int, can_read: Callable[[bytes], bool]) -> None:
        """Follow one byte of the text. can_read: whether the grammar can read a marker after it."""
        self._open = [
            one
            for one in self._open
            if one.follow(byte, lambda one=one: can_read(one.array.marker.encode()))  # type: ignore[misc]
        ]
        if byte == _OPEN and can_read(MARK.encode()) and not can_read(NO_MARKER.encode()):
            known = {one.array.marker for one in self._open}
            self._open += [
                _OpenArray(array)
                for array in self._arrays.arrays
                if array.marker not in known and can_read(array.marker.encode())
            ]

    def leave(self) -> None:
        """Forget the arrays, since a token without text is none of theirs."""
        self._open = []

    def exclude(self, allowed: "npt.NDArray[np.uint32]", can_read: Callable[[bytes], bool]) -> None:
        """Clear the bits of the tokens that may not come next."""
        places = np.array(self._excluded_ids(), dtype=np.uint32)
        np.bitwise_and.at(allowed, places // 32, ~(np.uint32(1) << (places % 32)))

    def copy(self) -> "UniqueItemsFollower":
        """Return a follower at the same place, which goes on alone."""
        other = copy(self)
        other._open = [one.copy() for one in self._open]
        return other

    def _excluded_ids(self) -> list[int]:
        index = self._arrays.index
        found = {*self._arrays.never}
        for one in self._open:
            others = [other for other in self._open if other is not one]
            found.update(
                at
                for at in one.excluded()
                if not any(other.outcome(index.tokens[at]) is _Outcome.NEW for other in others)
            )
        return [index.ids[at] for at in found]
