"""The request that the present task answers, as the rules of access see it."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from .key import Key


@dataclass(slots=True)
class Visit:
    """key: the one that let the request in; None where none was asked for, or none was right."""

    key: Key | None = None
    num_prompt_tokens: int = 0
    num_generated_tokens: int = 0

    def count_tokens(self, num_prompt_tokens: int, num_generated_tokens: int) -> None:
        """Count what the model read and wrote, and charge the key for it."""
        self.num_prompt_tokens += num_prompt_tokens
        self.num_generated_tokens += num_generated_tokens
        if self.key is not None:
            self.key.limits.count_tokens(num_prompt_tokens + num_generated_tokens)

    def cache_salt(self, given: str | None) -> str | None:
        """As `Key.cache_salt`; what is given where the request has no key."""
        return given if self.key is None else self.key.cache_salt(given)


# Each request has a task of its own, whose context those have too that it starts.
current_visit: Final[ContextVar[Visit | None]] = ContextVar("current_visit", default=None)
