"""The limit on sequences that the server admits, and the retry time for refused requests."""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import ceil
from random import uniform
from time import monotonic
from typing import Final, NamedTuple

from typing_extensions import override

from handlers.concurrency.permits import Permits
from verbatim_kit.errors import Refused, Violation

MAX_SEQUENCES: Final = 40_960  # per request: 2,048 prompts with 20 choices each, OpenAI's limits
RETRY_AFTER_S: Final = 1  # of a server that is stopping, since another may replace it at any time
_MAX_RETRY_AFTER_S: Final = 60.0  # the longest time that common clients accept
_NUM_REMEMBERED: Final = 64  # released permits that the release rate is computed from
_SPREAD: Final = 0.5  # relative random variation of Retry-After, so that clients do not retry together


class Overloaded(Exception):
    """The server has no capacity for the request now. retry_after_s: seconds after which to retry."""

    def __init__(self, retry_after_s: float = RETRY_AFTER_S) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class TooManySequences(Refused):
    """The request needs more sequences than a request may have; it can never succeed."""

    def __init__(self, field: str, num_sequences: int) -> None:
        super().__init__(
            f"`{field}` requests {num_sequences} sequences; the limit for a request is {MAX_SEQUENCES}",
            field,
            Violation.TOO_LARGE,
        )


class Beams(NamedTuple):
    """The width of a beam search, whose beams run in parallel, and the field that sets it."""

    field: str
    num_beams: int


class TooManyBeams(Refused):
    """The beam search is wider than the sequences that one request may run in parallel."""

    def __init__(self, beams: Beams, limit: int) -> None:
        super().__init__(
            f"`{beams.field}` requests {beams.num_beams} beams; the limit for a request is {limit}",
            beams.field,
            Violation.TOO_LARGE,
        )


def retry_after_s(error: Exception, default: float | None) -> float | None:
    """Return the seconds after which to retry: those of an Overloaded, otherwise the default."""
    return error.retry_after_s if isinstance(error, Overloaded) else default


class ConcurrencyLimit:
    """The permits for sequences that run or wait. It is used by one event loop, so it needs no lock.

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
        """Create the limit, with all permits free.

        limit: number of permits. share: maximum permits that one request may hold; None for all.
        clock: monotonic seconds. draw: returns a random number between two numbers.
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
        """Return a context manager that holds permits for a request until its sequences or the block end.

        A request with more sequences than `share` holds `share` permits, and its prompts take turns. field:
        the field that sets the number of sequences. beams: for a beam search. takes_turns: the number is that
        of parallel sequences in each of several turns, so that the permits are held until the block ends.

        Entering the block raises Overloaded if too few permits are free, and TooManySequences or TooManyBeams
        if the request can never be admitted.
        """
        return HeldPermits(self, num_sequences, field, beams, takes_turns=takes_turns)

    @property
    def has_room(self) -> bool:
        """True if at least one more sequence would be admitted."""
        return self.in_use < self.limit

    def overloaded(self, retry_after_s: float | None = None) -> Overloaded:
        """Return the error for a request that cannot be admitted, with a time to retry.

        The time is at most a minute. It is computed from the recent rate of released permits, for a place
        behind all other refused clients. retry_after_s: a time to use instead, in seconds.
        """
        if retry_after_s is not None:
            return Overloaded(min(max(retry_after_s, RETRY_AFTER_S), _MAX_RETRY_AFTER_S))
        now = self._clock()
        if not self._returns:
            return Overloaded(self._spread(RETRY_AFTER_S))
        rate = len(self._returns) / max(now - self._returns[0], 1e-3)
        num_since = (now - self._refused_at) * rate
        # No wait is longer than a minute, so clients further back are not counted.
        self._num_refused = min(max(self._num_refused - num_since, 0.0) + 1, _MAX_RETRY_AFTER_S * rate)
        self._refused_at = now
        return Overloaded(self._spread(self._num_refused / rate))

    def _spread(self, seconds: float) -> float:
        """Return whole seconds, as the header requires, between 0.5 and 1.5 times `seconds`."""
        drawn = ceil(seconds * self._draw(1 - _SPREAD, 1 + _SPREAD))
        return min(max(drawn, RETRY_AFTER_S), _MAX_RETRY_AFTER_S)

    def give_back(self, num_permits: int) -> None:
        """Return permits that were held."""
        assert 0 <= num_permits <= self.in_use, "a permit was returned twice"
        self.in_use -= num_permits
        self._returns.extend([self._clock()] * num_permits)


class HeldPermits(AbstractContextManager[Permits]):
    """A context manager that holds the permits of a request."""

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
