"""The search for stop strings in text that arrives in pieces; pure."""

from array import array
from collections.abc import Sequence
from copy import copy

import msgspec

from engine.port.errors import InvalidRequest

_CODE_BITS = 21  # of a character


class StopMatch(msgspec.Struct, frozen=True):
    """A stop string that was found.

    end: the number of characters of the last piece up to and including the match's last one.
    """

    stop: str
    end: int


class StopPatterns:
    """A request's stop strings as one automaton (Aho and Corasick 1975), which its sequences share.

    It takes time and memory linear in the length of the strings. A state is the longest start of a stop
    string that the text so far ends with; 0 is none.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        """Build the automaton. Raises InvalidRequest for an empty string, which would match everywhere."""
        if not all(stops):
            raise InvalidRequest("a stop string must not be empty")
        self.stops = tuple(dict.fromkeys(stops))
        self.first_characters = frozenset(stop[0] for stop in self.stops)
        # Of each state: its length; the longest shorter state that ends it; the first stop string at its end
        # (from 1; 0: none); and a character with the state that it leads to, of which most have but one.
        self._lengths = array("I", [0])
        self._shorter = array("I", [0])
        self._ended = array("I", [0])
        self._next_codes = array("I", [0])
        self._next_states = array("I", [0])
        self._others: dict[int, int] = {}  # further states, by a state and a character in one number
        made: list[tuple[int, int]] = []
        for number, stop in enumerate(self.stops, start=1):
            self._add(number, stop, made)
        self._link(made)

    def follow(self, state: int, code: int) -> int:
        """Return the state after one more character, given by its code; it may be all of a stop string."""
        while not (found := self._continued(state, code)) and state:
            state = self._shorter[state]
        return found

    def ended(self, state: int) -> str | None:
        """Return the stop string that ends with the state, of several the first in the list."""
        number = self._ended[state]
        return self.stops[number - 1] if number else None

    def unended(self, state: int) -> int:
        """Return the longest start of a stop string, not the whole of one, that the state ends with."""
        while state and not self._next_states[state]:
            state = self._shorter[state]
        return state

    def length(self, state: int) -> int:
        """Return the number of characters of a state."""
        return self._lengths[state]

    def _continued(self, state: int, code: int) -> int:
        """Return the state that this character continues; 0 if there is none."""
        if self._next_codes[state] == code:
            return self._next_states[state]
        return self._others.get(state << _CODE_BITS | code, 0)

    def _add(self, number: int, stop: str, made: list[tuple[int, int]]) -> None:
        """Add the states of a stop string.

        made: gets, for each new state, the state that it continues and the character that leads to it.
        """
        state = 0
        for code in map(ord, stop):
            longer = self._continued(state, code)
            if not longer:
                longer = self._new_state(state, code)
                made.append((state, code))
            state = longer
        self._ended[state] = number

    def _new_state(self, state: int, code: int) -> int:
        new = len(self._lengths)
        if self._next_states[state]:
            self._others[state << _CODE_BITS | code] = new
        else:
            self._next_codes[state], self._next_states[state] = code, new
        self._lengths.append(self._lengths[state] + 1)
        for column in (self._shorter, self._ended, self._next_codes, self._next_states):
            column.append(0)
        return new

    def _link(self, made: Sequence[tuple[int, int]]) -> None:
        """Find the stop string that ends each state, from the shortest to the longest.

        made: the list that `_add` filled, by the number of the state.
        """
        for state in sorted(range(1, len(self._lengths)), key=self._lengths.__getitem__):
            before, code = made[state - 1]
            if before:
                shorter = self._shorter[state] = self.follow(self._shorter[before], code)
                numbers = (self._ended[state], self._ended[shorter])
                self._ended[state] = min(filter(None, numbers), default=0)


class StopMatcher:
    """The matcher of several strings at once, in time linear in the text, however many there are.

    The match that ends first in the text wins; of those that end together, the first in the list.
    """

    def __init__(self, patterns: StopPatterns) -> None:
        self._patterns = patterns
        self._state = 0

    def __deepcopy__(self, _: object) -> "StopMatcher":
        """Return a copy that shares the patterns, which never change."""
        return copy(self)

    @property
    def num_undecided(self) -> int:
        """The number of characters at the end of the text so far that may be the start of a stop string."""
        return self._patterns.length(self._state)

    def forget(self) -> None:
        """Forget the text so far: no stop string can begin in it any more."""
        self._state = 0

    def feed(self, text: str, *, is_armed: bool = True) -> StopMatch | None:
        """Read the text's next piece.

        is_armed: whether a stop string that ends in this piece counts. One that begins in a piece which was
        not armed and ends in one which is does count. Nothing may be fed after a match.
        """
        patterns, state = self._patterns, self._state
        if not state and patterns.first_characters.isdisjoint(text):
            return None
        for end, code in enumerate(map(ord, text), start=1):
            state = patterns.follow(state, code)
            if is_armed and state and (stop := patterns.ended(state)) is not None:
                return StopMatch(stop, end)
        self._state = patterns.unended(state)
        return None
