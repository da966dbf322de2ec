"""The permits of one request, shared by its prompts, which take turns if there are too few."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import inf
from typing import Final, NamedTuple

from typing_extensions import override


class Permits:
    """The permits that one request holds.

    Invariant: held = idle + those of open turns, and held is at most the number of sequences that have not
    ended.
    """

    def __init__(
        self, num_permits: int, num_sequences: int | None, give_back: Callable[[int], object]
    ) -> None:
        """Create the object.

        num_sequences: the number of sequences of all prompts together; None if it is unknown, in which case
        all permits are held until `close`. give_back: releases permits that are no longer needed.
        """
        self.num_held = num_permits
        self._max_permits: Final = num_permits
        self._num_idle = num_permits
        self._num_ahead = (
            inf if num_sequences is None else num_sequences
        )  # of prompts that still wait for a turn
        self._give_back = give_back
        self._waiting: deque[_Place] = deque()

    async def turn(self, num_sequences: int, *, num_beams: int = 1) -> "Turn":
        """Wait for earlier prompts, and return the permits for a prompt; the caller must close the turn.

        num_sequences: of the prompt; it gets a permit for each, or all permits of the request if there are
        fewer. num_beams: the width of a beam search.
        """
        num_wanted = max(num_sequences, num_beams)
        num_permits = min(num_wanted, self._max_permits)
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
        """Release all permits that are still held, including those of open turns."""
        num_held, self.num_held, self._num_idle = self.num_held, 0, 0
        self._give_back(num_held)

    def release(self, num_permits: int) -> None:
        """Take permits back from a turn, for the next turn or, if there is none, for other requests."""
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
        """Remove a prompt that no longer waits, or release its permits if its turn has just begun."""
        if place in self._waiting:
            self._waiting.remove(place)
        else:
            self.release(place.num_permits)


class _Place(NamedTuple):
    """A prompt's place in the queue. turn: done when its turn begins."""

    num_permits: int
    num_sequences: int
    turn: asyncio.Future[None]


class Turn(AbstractContextManager["Turn"]):
    """The permits of one prompt while its sequences run.

    num_parallel: maximum sequences that may run in parallel.
    """

    def __init__(self, permits: Permits, num_parallel: int, num_sequences: int) -> None:
        self.num_parallel = num_parallel
        self._permits = permits
        self._num_held = num_parallel
        self._num_running = num_sequences

    def end(self, num_sequences: int) -> None:
        """Record that sequences have ended, and release the permits that the others do not need."""
        self._num_running = max(self._num_running - num_sequences, 0)
        self._hold(min(self._num_held, self._num_running))

    @override
    def __exit__(self, *_: object) -> None:
        self._hold(0)

    def _hold(self, num_permits: int) -> None:
        num_spare, self._num_held = self._num_held - num_permits, num_permits
        if num_spare:
            self._permits.release(num_spare)
