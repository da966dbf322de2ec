"""The parts of a grammar that are enforced at run time, and the follower of one text for all of them."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from engine.grammar.run_time.string_lengths import (
    CanRead,
    StringLength,
    StringLengthFollower,
    StringLengths,
    StringTokens,
    Words,
)
from engine.grammar.run_time.unique_items import TokenIndex, UniqueArrays, UniqueItems, UniqueItemsFollower


class RunTimeRules(msgspec.Struct, frozen=True):
    """The arrays and strings of a grammar whose restrictions are enforced at run time."""

    unique_items: Sequence[UniqueItems] = ()
    string_lengths: Sequence[StringLength] = ()


class Follower(Protocol):
    """One text's place among the parts of one kind."""

    def needs_bytes(self, token: bytes) -> bool:
        """Return whether the token is followed byte by byte; if not, `skip` follows it whole."""
        ...

    def skip(self, token: bytes) -> None: ...

    def follow(self, byte: int, can_read: CanRead) -> None:
        """Follow one byte. can_read: of the grammar, after the byte."""
        ...

    def leave(self) -> None:
        """Follow a token that the grammar knows by its id, not by its text."""
        ...

    def exclude(self, allowed: Words, can_read: CanRead) -> None:
        """Clear the bits of the tokens that may not come next, of those that the grammar allows."""
        ...

    def copy(self) -> "Follower":
        """Return a follower at the same place, which goes on alone."""
        ...


class CompiledRules:
    """The rules for one vocabulary."""

    def __init__(
        self, rules: RunTimeRules, index: Callable[[], TokenIndex], strings: Callable[[], StringTokens]
    ) -> None:
        """Make the rules that are needed.

        index, strings: return the vocabulary's tables, which take a while to make and are not always needed.
        """
        self._arrays = UniqueArrays(rules.unique_items, index()) if rules.unique_items else None
        self._lengths = StringLengths(rules.string_lengths, strings()) if rules.string_lengths else None

    def followers(self) -> list[Follower]:
        """Return those of a text before its first token."""
        found: list[Follower] = []
        if self._arrays is not None:
            found.append(UniqueItemsFollower(self._arrays))
        if self._lengths is not None:
            found.append(StringLengthFollower(self._lengths))
        return found
