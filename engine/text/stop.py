"""The search for stop strings in text that arrives in pieces; pure."""

from collections.abc import Sequence

import msgspec

from engine.errors import InvalidRequest


class StopMatch(msgspec.Struct, frozen=True):
    """A stop string that was found.

    end: the number of characters of the last piece up to and including the match's last one.
    """

    stop: str
    end: int


class StopPatterns:
    """A request's stop strings, prepared in time linear in their length; its sequences share them.

    borders: by string, the length of the longest shorter start that also ends each of its starts.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        """Raises InvalidRequest for an empty string, which would match everywhere."""
        if not all(stops):
            raise InvalidRequest("a stop string must not be empty")
        self.borders = {stop: _borders(stop) for stop in stops}
        self.first_characters = frozenset(stop[0] for stop in stops)


class StopMatcher:
    """The matcher of several strings at once, in time linear in the text (Knuth, Morris and Pratt 1977; one
    automaton each).

    The match that ends first in the text wins; of those that end together, the first in the list.
    """

    def __init__(self, patterns: StopPatterns) -> None:
        self._automata = [_Automaton(stop, borders) for stop, borders in patterns.borders.items()]
        self._first_characters = patterns.first_characters

    @property
    def num_undecided(self) -> int:
        """The number of characters at the end of the text so far that may be the start of a stop string."""
        return max([automaton.num_matched for automaton in self._automata]) if self._automata else 0

    def forget(self) -> None:
        """Forget the text so far: no stop string can begin in it any more."""
        for automaton in self._automata:
            automaton.num_matched = 0

    def feed(self, text: str, *, is_armed: bool = True) -> StopMatch | None:
        """Read the text's next piece.

        is_armed: whether a stop string that ends in this piece counts. One that begins in a piece which was
        not armed and ends in one which is does count. Nothing may be fed after a match.
        """
        if self._first_characters.isdisjoint(text) and self.num_undecided == 0:
            return None
        for end, character in enumerate(text, start=1):
            for automaton in self._automata:
                if automaton.step(character) and is_armed:
                    return StopMatch(automaton.pattern, end)
        return None


class _Automaton:
    """The length of the longest start of `pattern` that the text so far ends with, never the whole of it."""

    def __init__(self, pattern: str, borders: Sequence[int], num_matched: int = 0) -> None:
        """borders: those of the pattern, as in StopPatterns."""
        self.pattern = pattern
        self.num_matched = num_matched
        self._borders = borders

    def __deepcopy__(self, _: object) -> "_Automaton":
        """Return a copy that shares the borders, which are as long as the pattern and never change."""
        return _Automaton(self.pattern, self._borders, self.num_matched)

    def step(self, character: str) -> bool:
        """Read a character, and return whether the pattern ends with it."""
        length = _extend(self.pattern, self._borders, self.num_matched, character)
        is_match = length == len(self.pattern)
        self.num_matched = self._borders[length - 1] if is_match else length
        return is_match


def _extend(pattern: str, borders: Sequence[int], length: int, character: str) -> int:
    """Return the length of the longest start of `pattern` that ends its first `length` characters followed by
    `character`.
    """
    while length and pattern[length] != character:
        length = borders[length - 1]
    return length + (pattern[length] == character)


def _borders(pattern: str) -> list[int]:
    """Return, for each start of `pattern`, the length of the longest shorter start that also ends it."""
    borders = [0]
    for character in pattern[1:]:
        borders.append(_extend(pattern, borders, borders[-1], character))
    return borders
