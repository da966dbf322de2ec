"""The state of the request that the current task handles."""

from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import Final

from handlers.access.key import Key
from handlers.access.rate_limits import RateLimit
from handlers.access.visits.timing import Timing


@dataclass(slots=True)
class Visit:
    """A request.

    path: as the client sent it. arrived, started_s: when its headers had come, in UTC and by the clock of
    `time.perf_counter`. key: its valid API key; None without one. timing: its times and tokens in the engine;
    None if it is not for the engine. status: that of its answer; None before there is one.
    is_answered: whether the last byte of the answer has been sent. is_recorded: whether another process has
    made the record of the request. error, error_status: kind and status of
    the error that it ended with, as far as its operation generates.
    """

    path: str
    arrived: datetime = field(default_factory=partial(datetime.now, UTC))
    started_s: float = field(default_factory=perf_counter)
    key: Key | None = None
    timing: Timing | None = None
    status: int | None = None
    is_answered: bool = False
    is_recorded: bool = False
    error: str | None = None
    error_status: int | None = None

    def fail(self, error: str, status: int) -> None:
        """Note the error that the request ended with."""
        self.error, self.error_status = error, status

    def charge(self, num_tokens: int) -> None:
        """Charge prompt or generated tokens to the key."""
        if self.key is not None:
            self.key.limits.count_tokens(num_tokens)

    def cache_salt(self, given: str | None) -> str | None:
        """Return the salt from `Key.cache_salt`; the request's own if it has no key."""
        return given if self.key is None else self.key.cache_salt(given)


def private_cache_salt(given: str | None) -> str | None:
    """Return the salt of the prefix cache for the current request.

    given: the salt in the request; None without one. Call this in the request's task, or in a copy of its
    context.
    """
    visit = current_visit.get()
    return given if visit is None else visit.cache_salt(given)


def current_limits() -> list[RateLimit]:
    """Return the limits of the current request's key; none without a key that has limits."""
    visit = current_visit.get()
    return [] if visit is None or visit.key is None else visit.key.limits.now()


# Each request has its own task; tasks that it starts inherit the context.
current_visit: Final[ContextVar[Visit | None]] = ContextVar("current_visit", default=None)
