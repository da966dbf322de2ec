"""The permits of one request, shared among its prompts, which take turns where there are not enough."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, NamedTuple

from typing_extensions import override


class Permits:
    """What one request holds of the server's permits.

    Invariant: held = idle + those of open turns; never more than the sequences that have not ended.
    """

    def __init__(self, num_permits: int, num_sequences: int, give_back: Callable[[int], object]) -> None:
        """num_sequences: of all prompts together. give_back: takes permits that are needed no more."""
        self.num_held = num_permits
        self._most: Final = num_permits
        self._num_idle = num_permits
        self._num_ahead = num_sequences  # of prompts whose turn has not come
        self._give_back = give_back
        self._waiting: deque[_Place] = deque()

    async def turn(self, num_sequences: int, *, num_beams: int = 1) -> "Turn":
        """Permits for a prompt of so many sequences: one each, or all that the request may hold.

        Waits for prompts that came before. The turn is to be closed. num_beams: of the search for them.
        """
        num_wanted = max(num_sequences, num_beams)
        place = _Place(min(num_wanted, self._most), num_wanted, asyncio.get_running_loop().create_future())
        self._waiting.append(place)
        self._let_in()
        try:
            await place.turn
        except asyncio.CancelledError:
            self._leave(place)
            raise
        return Turn(self, place.num_permits, num_sequences)

    def close(self) -> None:
        """Gives back all that is held still; turns that are open hold nothing from then on."""
        num_held, self.num_held, self._num_idle = self.num_held, 0, 0
        self._give_back(num_held)

    def release(self, num_permits: int) -> None:
        """Takes permits of a turn, for the next one, or for other requests where none is to come."""
        if self.num_held == 0:
            return  # closed
        self._num_idle += num_permits
        self._let_in()
        num_spare = max(self._num_idle - self._num_ahead, 0)
        if num_spare:
            self._num_idle -= num_spare
            self.num_held -= num_spare
            self._give_back(num_spare)

    def _let_in(self) -> None:
        while self._waiting and self._num_idle >= self._waiting[0].num_permits:
            place = self._waiting.popleft()
            self._num_idle -= place.num_permits
            self._num_ahead -= place.num_sequences
            place.turn.set_result(None)

    def _leave(self, place: "_Place") -> None:
        """A prompt that waits no longer; its turn may just have come."""
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
        """So many sequences have ended; what the others do not need goes back."""
        self._num_running = max(self._num_running - num_sequences, 0)
        self._hold(min(self._num_held, self._num_running))

    @override
    def __exit__(self, *_: object) -> None:
        self._hold(0)

    def _hold(self, num_permits: int) -> None:
        num_spare, self._num_held = self._num_held - num_permits, num_permits
        if num_spare:
            self._permits.release(num_spare)
