"""The times at which the tool calls of a request's answers were read, for its trace."""

from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final


@dataclass(slots=True)
class CallTimes:
    """The times, in seconds of `perf_counter`, and the number of calls of each answer by its index.

    begun_s: when the first token of the first call came. ended_s: when the last piece of a call was read.
    """

    begun_s: float | None = None
    ended_s: float = 0.0
    num_calls: dict[int, int] = field(default_factory=dict)

    def add(self, held_since_s: float) -> None:
        """Note a piece of a call. held_since_s: when the first of its tokens came."""
        self.ended_s = perf_counter()
        if self.begun_s is None:
            self.begun_s = held_since_s


# Set in the task of a request that is traced.
current_call_times: Final[ContextVar[CallTimes | None]] = ContextVar("current_call_times", default=None)
