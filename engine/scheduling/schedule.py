"""The tokens that the scheduler chose for one step; no torch."""

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.scheduling.sequence import Sequence
from engine.scheduling.state_slots import Snapshot


class ScheduledTokens(NamedTuple):
    """The tokens `start` to `end` of a sequence, to be computed in one step."""

    sequence: Sequence
    start: int
    end: int

    @property
    def reaches_end(self) -> bool:
        """Return whether the last row gives the sequence's next token."""
        return self.end == self.sequence.num_tokens

    @property
    def computes_prompt(self) -> bool:
        return self.start < self.sequence.num_prompt_tokens


@dataclass(slots=True)
class Schedule:
    """The batch of one step.

    entries: one for each sequence in the step. block_copies: (source, destination), to be done before any
    block is written. state_copies: likewise of state slots. released_states: the slots that no sequence owns
    any more, to be freed after these copies. snapshots: the states to be kept of each sequence while its
    tokens are computed, in the order of these. drafts: the drafted tokens that are computed behind the last
    token of a sequence; each of these sequences has an entry that reaches its end.
    num_media_tokens: tokens of the media whose first token is in the step. exceeds_budget: whether a chunk is
    longer than the step's tokens allow, since a range of a medium that sees itself cannot be cut.
    """

    entries: list[ScheduledTokens] = field(default_factory=list)
    block_copies: list[tuple[int, int]] = field(default_factory=list)
    state_copies: list[tuple[int, int]] = field(default_factory=list)
    released_states: list[int] = field(default_factory=list)
    snapshots: dict[Sequence, list[Snapshot]] = field(default_factory=dict)
    drafts: dict[Sequence, tuple[int, ...]] = field(default_factory=dict)
    num_preempted: int = 0
    num_media_tokens: int = 0
    exceeds_budget: bool = False

    @property
    def num_rows(self) -> int:
        """The number of tokens that the step computes, drafted ones included."""
        num_drafted = sum(map(len, self.drafts.values())) if self.drafts else 0
        return sum(entry.end - entry.start for entry in self.entries) + num_drafted
