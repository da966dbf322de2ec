"""The tokens that the scheduler chose for one step; no torch."""

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.scheduling.sequence import Sequence
from engine.scheduling.state_slots import Snapshot


class ScheduledTokens(NamedTuple):
    """The tokens of a sequence that are to be computed in one step."""

    sequence: Sequence
    """The sequence."""

    start: int
    """The position of the first token."""

    end: int
    """The position after the last token."""

    @property
    def reaches_end(self) -> bool:
        """Return whether the last row gives the sequence's next token."""
        return self.end == self.sequence.num_tokens

    @property
    def computes_prompt(self) -> bool:
        return self.start < self.sequence.num_prompt_tokens


@dataclass(slots=True)
class Schedule:
    """The batch of one step."""

    entries: list[ScheduledTokens] = field(default_factory=list)
    """The tokens to compute, one entry for each sequence in the step."""

    block_copies: list[tuple[int, int]] = field(default_factory=list)
    """The copies of KV blocks, (source, destination), to be done before any block is written."""

    state_copies: list[tuple[int, int]] = field(default_factory=list)
    """The copies of state slots, (source, destination), to be done before any slot is written."""

    released_states: list[int] = field(default_factory=list)
    """The slots that no sequence owns any more, to be freed after these copies."""

    snapshots: dict[Sequence, list[Snapshot]] = field(default_factory=dict)
    """The states to be kept of each sequence while its tokens are computed, in the order of these."""

    drafts: dict[Sequence, tuple[int, ...]] = field(default_factory=dict)
    """The drafted tokens that are computed after the last token of a sequence; each of these sequences has
    an entry that reaches its end."""

    num_preempted: int = 0
    """The number of sequences that lost their blocks to make room in this step."""

    num_media_tokens: int = 0
    """The number of tokens of the media whose first token is in the step."""

    exceeds_budget: bool = False
    """True if a chunk is longer than the step's tokens allow, since a range of a medium that sees itself
    cannot be cut."""

    @property
    def num_rows(self) -> int:
        """The number of tokens that the step computes, drafted ones included."""
        num_drafted = sum(map(len, self.drafts.values())) if self.drafts else 0
        return sum(entry.end - entry.start for entry in self.entries) + num_drafted
