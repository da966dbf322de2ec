"""The limit of sequences that the server admits, and the time after which refused clients may retry."""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import ceil
from random import uniform
from time import monotonic
from typing import Final, NamedTuple

from typing_extensions import override

from handlers.concurrency.permits import Permits
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation

MAX_SEQUENCES: Final = 40_960  # of one request: 2,048 prompts with 20 texts each, OpenAI's bounds
RETRY_AFTER_S: Final = 1  # of a server that stops: another may take its place at any time
_MAX_RETRY_AFTER_S: Final = 60.0  # the longest that clients wait who heed the header
_NUM_REMEMBERED: Final = 64  # permits whose return shows how fast they come back
_SPREAD: Final = 0.5  # of the time in Retry-After, so that clients refused together come back apart


class Overloaded(Exception):
    """There is no room for the request now; the client should retry after that many seconds."""

    def __init__(self, retry_after_s: float = RETRY_AFTER_S) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class TooManySequences(Refused):
    """A request for more sequences than may wait for their turn; a retry cannot help."""

    def __init__(self, field: str, num_sequences: int) -> None:
        super().__init__(
            f"`{field}` asks for {num_sequences} sequences; a request may have {MAX_SEQUENCES}",
            field,
            Violation.TOO_LARGE,
        )


class Beams(NamedTuple):
    """The width of a search, whose beams run together, and the field that asks for it."""

    field: str
    num_beams: int


class TooManyBeams(Refused):
    """A search that is wider than one request may run at once, since its beams cannot take turns."""

    def __init__(self, beams: Beams, limit: int) -> None:
        super().__init__(
            f"`{beams.field}` asks for {beams.num_beams} beams; a request may have {limit} at once",
            beams.field,
            Violation.TOO_LARGE,
        )


def retry_after_s(error: Exception, usual: float | None) -> float | None:
    """Return the seconds after which to retry: the error's own, or the usual for errors of its kind."""
    return error.retry_after_s if isinstance(error, Overloaded) else usual


class ConcurrencyLimit:
    """The permits for sequences that run or wait; one loop uses it, so it needs no lock.

    Invariant: 0 <= in_use <= limit; each permit is given back exactly once.

    share: the most permits that one request holds at once; its other sequences wait for these.
    """

    def __init__(
        self,
        limit: int,
        share: int | None = None,
        *,
        clock: Callable[[], float] = monotonic,
        draw: Callable[[float, float], float] = uniform,
    ) -> None:
        """Begin with all permits free.

        share: the most permits that one request holds at once; None for all of them.
        draw: returns a random number between two others.
        """
        self.limit = limit
        self.share = limit if share is None else share
        self.in_use = 0
        self._clock = clock
        self._draw = draw
        self._returns: deque[float] = deque(maxlen=_NUM_REMEMBERED)  # when the last permits came back
        self._num_refused = 0.0  # clients who were refused, less those there has been room for since
        self._refused_at = clock()

    def hold(
        self,
        num_sequences: int,
        field: str,
        beams: "Beams | None" = None,
        *,
        takes_turns: bool = False,
    ) -> "HeldPermits":
        """Hold permits for a request while the block runs, or until its sequences end.

        A request of more sequences than `share` holds `share` permits; it gets all that it may hold or none.
        field: the one that requests the sequences. beams: those of each search, for a beam search.
        takes_turns: whether these many sequences run at once, again and again, so that the permits are held
        until the block ends.

        Raises Overloaded if fewer permits are free, TooManySequences or TooManyBeams if no retry can help.
        """
        return HeldPermits(self, num_sequences, field, beams, takes_turns=takes_turns)

    @property
    def has_room(self) -> bool:
        """True if at least one sequence more is let in."""
        return self.in_use < self.limit

    def overloaded(self, retry_after_s: float | None = None) -> Overloaded:
        """Return the refusal of one more client, who is behind all those refused and not yet admitted.

        The length of the wait follows from the rate at which permits have lately come back, unless whatever
        has no room names it, in seconds; a minute at most.
        """
        if retry_after_s is not None:
            return Overloaded(min(max(retry_after_s, RETRY_AFTER_S), _MAX_RETRY_AFTER_S))
        now = self._clock()
        if not self._returns:
            return Overloaded(self._spread(RETRY_AFTER_S))
        rate = len(self._returns) / max(now - self._returns[0], 1e-3)
        num_since = (now - self._refused_at) * rate
        # No wait is longer than a minute, so no client further behind is remembered.
        self._num_refused = min(max(self._num_refused - num_since, 0.0) + 1, _MAX_RETRY_AFTER_S * rate)
        self._refused_at = now
        return Overloaded(self._spread(self._num_refused / rate))

    def _spread(self, seconds: float) -> float:
        """Return whole seconds, as the header has them, between half and one and a half of `seconds`."""
        drawn = ceil(seconds * self._draw(1 - _SPREAD, 1 + _SPREAD))
        return min(max(drawn, RETRY_AFTER_S), _MAX_RETRY_AFTER_S)

    def give_back(self, num_permits: int) -> None:
        """Take back permits that were held."""
        assert 0 <= num_permits <= self.in_use, "a permit was given back twice"
        self.in_use -= num_permits
        self._returns.extend([self._clock()] * num_permits)


class HeldPermits(AbstractContextManager[Permits]):
    """The permits that a request holds while its block runs."""

    def __init__(
        self,
        limit: ConcurrencyLimit,
        num_sequences: int,
        field: str,
        beams: Beams | None,
        *,
        takes_turns: bool,
    ) -> None:
        self._takes_turns = takes_turns
        self._limit = limit
        self._num_sequences = num_sequences
        self._field = field
        self._beams = beams

    @override
    def __enter__(self) -> Permits:
        limit, beams = self._limit, self._beams
        if self._num_sequences > MAX_SEQUENCES:
            raise TooManySequences(self._field, self._num_sequences)
        if beams is not None and beams.num_beams > limit.share:
            raise TooManyBeams(beams, limit.share)
        num_permits = min(self._num_sequences, limit.share)
        if limit.in_use + num_permits > limit.limit:
            raise limit.overloaded()
        limit.in_use += num_permits
        num_ahead = None if self._takes_turns else self._num_sequences
        self.permits = Permits(num_permits, num_ahead, limit.give_back)
        return self.permits

    @override
    def __exit__(self, *_: object) -> None:
        self.permits.close()
