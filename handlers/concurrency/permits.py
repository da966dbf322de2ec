"""The permits of one request, shared among its prompts, which take turns if there are not enough."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import inf
from typing import Final, NamedTuple

from typing_extensions import override


class Permits:
    """The server's permits that one request holds.

    Invariant: held = idle + those of open turns; never more than the sequences that have not ended.
    """

    def __init__(
        self, num_permits: int, num_sequences: int | None, give_back: Callable[[int], object]
    ) -> None:
        """Hold permits.

        num_sequences: the number of sequences of all prompts together; None if it is not known, so that none
        of the permits go back before `close`. give_back: takes back permits that are not needed.
        """
        self.num_held = num_permits
        self._most: Final = num_permits
        self._num_idle = num_permits
        self._num_ahead = (
            inf if num_sequences is None else num_sequences
        )  # of prompts whose turn has not come
        self._give_back = give_back
        self._waiting: deque[_Place] = deque()

    async def turn(self, num_sequences: int, *, num_beams: int = 1) -> "Turn":
        """Return permits for a prompt of so many sequences: one each, or all that the request may hold.

        Waits for earlier prompts. The caller closes the turn. num_beams: the width of their search.
        """
        num_wanted = max(num_sequences, num_beams)
        num_permits = min(num_wanted, self._most)
        if not self._waiting and self._num_idle >= num_permits:
            self._take(num_permits, num_wanted)
            return Turn(self, num_permits, num_sequences)
        place = _Place(num_permits, num_wanted, asyncio.get_running_loop().create_future())
        self._waiting.append(place)
        try:
            await place.turn
        except asyncio.CancelledError:
            self._leave(place)
            raise
        return Turn(self, place.num_permits, num_sequences)

    def close(self) -> None:
        """Give back all permits that are still held; open turns hold none from then on."""
        num_held, self.num_held, self._num_idle = self.num_held, 0, 0
        self._give_back(num_held)

    def release(self, num_permits: int) -> None:
        """Take permits of a turn, for the next one, or for other requests if no turn is to come."""
        if self.num_held == 0:
            return  # closed
        self._num_idle += num_permits
        self._let_in()
        num_spare = int(max(self._num_idle - self._num_ahead, 0))
        if num_spare:
            self._num_idle -= num_spare
            self.num_held -= num_spare
            self._give_back(num_spare)

    def _let_in(self) -> None:
        while self._waiting and self._num_idle >= self._waiting[0].num_permits:
            place = self._waiting.popleft()
            self._take(place.num_permits, place.num_sequences)
            place.turn.set_result(None)

    def _take(self, num_permits: int, num_sequences: int) -> None:
        self._num_idle -= num_permits
        self._num_ahead -= num_sequences

    def _leave(self, place: "_Place") -> None:
        """Remove a prompt that no longer waits; its turn may just have come."""
        if place in self._waiting:
            self._waiting.remove(place)
        else:
            self.release(place.num_permits)


class _Place(NamedTuple):
    """A prompt's place in the line. turn: done when it has come."""

    num_permits: int
    num_sequences: int
    turn: asyncio.Future[None]


class Turn(AbstractContextManager["Turn"]):
    """The permits of one prompt while its sequences run.

    num_parallel: how many of them may run at once.
    """

    def __init__(self, permits: Permits, num_parallel: int, num_sequences: int) -> None:
        self.num_parallel = num_parallel
        self._permits = permits
        self._num_held = num_parallel
        self._num_running = num_sequences

    def end(self, num_sequences: int) -> None:
        """Note that so many sequences have ended, and release the permits that the others do not need."""
        self._num_running = max(self._num_running - num_sequences, 0)
        self._hold(min(self._num_held, self._num_running))

    @override
    def __exit__(self, *_: object) -> None:
        self._hold(0)

    def _hold(self, num_permits: int) -> None:
        num_spare, self._num_held = self._num_held - num_permits, num_permits
        if num_spare:
            self._permits.release(num_spare)
