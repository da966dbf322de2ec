"""How many sequences the server lets in, and when it tells the others to come back."""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import ceil
from random import uniform
from time import monotonic
from typing import Final, NamedTuple

from typing_extensions import override

from handlers.concurrency.permits import Permits
from handlers.faults.refused import Refused
from handlers.faults.violation import Violation

RETRY_AFTER_S: Final = 1  # of a server that stops: another may take its place at any time
_MAX_RETRY_AFTER_S: Final = 60.0  # the longest that clients wait who heed the header
_NUM_REMEMBERED: Final = 64  # permits whose return tells how fast they come back
_SPREAD: Final = 0.5  # of what a client is told, so that those refused together come back apart


class Overloaded(Exception):
    """No room for the request now; the client may try again, best after that many seconds."""

    def __init__(self, retry_after_s: float = RETRY_AFTER_S) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class TooManySequences(Refused):
    """A request for more sequences than the server ever runs for one: trying again is no use."""

    def __init__(self, field: str, num_sequences: int, limit: int) -> None:
        super().__init__(
            f"`{field}` asks for {num_sequences} sequences; the server runs {limit} at once",
            field,
            Violation.TOO_LARGE,
        )


class Beams(NamedTuple):
    """The width of a search, whose beams run together, and the field that asks for it."""

    field: str
    num_beams: int


class TooManyBeams(Refused):
    """A search that is wider than what one request may have at once; its beams cannot take turns."""

    def __init__(self, beams: Beams, limit: int) -> None:
        super().__init__(
            f"`{beams.field}` asks for {beams.num_beams} beams; a request may have {limit} at once",
            beams.field,
            Violation.TOO_LARGE,
        )


def retry_after_s(error: Exception, usual: float | None) -> float | None:
    """When a client may try again after an error: as that says, or as usual for errors of its kind."""
    return error.retry_after_s if isinstance(error, Overloaded) else usual


class ConcurrencyLimit:
    """Permits for sequences that run or wait; one loop uses it, so it needs no lock.

    Invariant: 0 <= in_use <= limit; each permit is given back exactly once.

    share: most permits that one request holds at once; its other sequences wait for these.
    """

    def __init__(
        self,
        limit: int,
        share: int | None = None,
        *,
        clock: Callable[[], float] = monotonic,
        draw: Callable[[float, float], float] = uniform,
    ) -> None:
        """share: as many as there are if absent. draw: a number between two others, at random."""
        self.limit = limit
        self.share = limit if share is None else share
        self.in_use = 0
        self._clock = clock
        self._draw = draw
        self._returns: deque[float] = deque(maxlen=_NUM_REMEMBERED)  # when the last permits came back
        self._num_refused = (
            0.0  # clients who were told to come back, less those there has been room for since
        )
        self._refused_at = clock()

    def hold(self, num_sequences: int, field: str, beams: "Beams | None" = None) -> "HeldPermits":
        """Hold permits for a request while the block runs, or until its sequences end.

        A request of more sequences than `share` holds so many permits; it gets all that it may hold or none.
        field: the one that asks for them. beams: of each search, where they are searched.

        Raises Overloaded if fewer are free, TooManySequences if there are fewer.
        """
        return HeldPermits(self, num_sequences, field, beams)

    def check_room(self) -> None:
        """Raises Overloaded if not even one sequence more is let in."""
        if self.in_use >= self.limit:
            raise self.overloaded()

    def overloaded(self) -> Overloaded:
        """The refusal of one more client: it is behind all those who were refused and not yet let in.

        How long the queue takes follows from how fast permits have come back of late.
        """
        now = self._clock()
        if not self._returns:
            return Overloaded(self._spread(RETRY_AFTER_S))
        rate = len(self._returns) / max(now - self._returns[0], 1e-3)
        num_since = (now - self._refused_at) * rate
        # No client is told of more than a minute, so none further behind is remembered.
        self._num_refused = min(max(self._num_refused - num_since, 0.0) + 1, _MAX_RETRY_AFTER_S * rate)
        self._refused_at = now
        return Overloaded(self._spread(self._num_refused / rate))

    def _spread(self, seconds: float) -> float:
        """Whole seconds, as the header has them, from half to half as much again."""
        drawn = ceil(seconds * self._draw(1 - _SPREAD, 1 + _SPREAD))
        return min(max(drawn, RETRY_AFTER_S), _MAX_RETRY_AFTER_S)

    def give_back(self, num_permits: int) -> None:
        """Takes permits that were held."""
        assert 0 <= num_permits <= self.in_use, "a permit was given back twice"
        self.in_use -= num_permits
        self._returns.extend([self._clock()] * num_permits)


class HeldPermits(AbstractContextManager[Permits]):
    """Held while its block runs, by which they are known."""

    def __init__(self, limit: ConcurrencyLimit, num_sequences: int, field: str, beams: Beams | None) -> None:
        self._limit = limit
        self._num_sequences = num_sequences
        self._field = field
        self._beams = beams

    @override
    def __enter__(self) -> Permits:
        limit, beams = self._limit, self._beams
        if self._num_sequences > limit.limit:
            raise TooManySequences(self._field, self._num_sequences, limit.limit)
        if beams is not None and beams.num_beams > limit.share:
            raise TooManyBeams(beams, limit.share)
        num_permits = min(self._num_sequences, limit.share)
        if limit.in_use + num_permits > limit.limit:
            raise limit.overloaded()
        limit.in_use += num_permits
        self.permits = Permits(num_permits, self._num_sequences, limit.give_back)
        return self.permits

    @override
    def __exit__(self, *_: object) -> None:
        self.permits.close()
