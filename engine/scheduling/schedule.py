"""The tokens that one step computes; no torch."""

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.scheduling.sequence import Sequence


class Work(NamedTuple):
    """Compute tokens `start` to `end` of a sequence."""

    sequence: Sequence
    start: int
    end: int

    @property
    def reaches_end(self) -> bool:
        """True if the last row gives the sequence's next token."""
        return self.end == self.sequence.num_tokens

    @property
    def computes_prompt(self) -> bool:
        return self.start < self.sequence.num_prompt_tokens


@dataclass(slots=True)
class Schedule:
    """One step's work. block_copies: (source, destination), to be done before any block is written."""

    works: list[Work] = field(default_factory=list)
    block_copies: list[tuple[int, int]] = field(default_factory=list)
    num_preempted: int = 0
