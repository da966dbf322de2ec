"""The request that the current task answers, as far as access control needs it."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from handlers.access.key import Key


@dataclass(slots=True)
class Visit:
    """A request. key: the one that let it in; None if none was required, or none was valid."""

    key: Key | None = None
    num_prompt_tokens: int = 0
    num_generated_tokens: int = 0

    def count_tokens(self, num_prompt_tokens: int, num_generated_tokens: int) -> None:
        """Count the tokens that the model read and wrote, and charge the key for them."""
        self.num_prompt_tokens += num_prompt_tokens
        self.num_generated_tokens += num_generated_tokens
        if self.key is not None:
            self.key.limits.count_tokens(num_prompt_tokens + num_generated_tokens)

    def cache_salt(self, given: str | None) -> str | None:
        """Return the salt of `Key.cache_salt`, or the given one if the request has no key."""
        return given if self.key is None else self.key.cache_salt(given)


def private_cache_salt(given: str | None) -> str | None:
    """Return the salt under which the current request's prompt is cached.

    given: the request's own. To be called in the request's task, or in a copy of its context.
    """
    visit = current_visit.get()
    return given if visit is None else visit.cache_salt(given)


# Each request has a task of its own, whose context those have too that it starts.
current_visit: Final[ContextVar[Visit | None]] = ContextVar("current_visit", default=None)
