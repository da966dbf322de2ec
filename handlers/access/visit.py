"""The access control state of the request that the current task handles."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from handlers.access.key import Key
from handlers.access.rate_limits import RateLimit


@dataclass(slots=True)
class Visit:
    """A request.

    key: its valid API key; None without one. error_status: status of the error that it ended with, as far as
    its operation generates.
    """

    key: Key | None = None
    num_prompt_tokens: int = 0
    num_generated_tokens: int = 0
    error_status: int | None = None

    def count_tokens(self, num_prompt_tokens: int, num_generated_tokens: int) -> None:
        """Count prompt and generated tokens, and charge them to the key."""
        self.num_prompt_tokens += num_prompt_tokens
        self.num_generated_tokens += num_generated_tokens
        if self.key is not None:
            self.key.limits.count_tokens(num_prompt_tokens + num_generated_tokens)

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
