"""The choice of how many tokens to draft for each sequence, so that a step gives most tokens per second.

A row of draft costs the time of one more row, and gives its token only if all before it come true: rate **
place tokens. Rows are added one by one, the likeliest first, while each raises the expected tokens per second
of the whole step (Liu et al. 2024, arXiv 2406.14066). So drafts shrink to nothing where they do not come
true, and where so many sequences run that the processor, not the memory, bounds a step.
"""

from collections.abc import Sequence as Row
from heapq import heapify, heapreplace
from weakref import WeakKeyDictionary

from engine.scheduling.sequence import Sequence
from engine.speculation.acceptance import Acceptance
from engine.speculation.proposer import Proposer
from engine.speculation.step_costs import StepCosts

# The most rows of a step with drafts, those of the sequences included. Up to eight rows cost a CPU with
# AVX-512 next to nothing, since it waits for the weights; each further row costs 0.09 of a step
# (docs/cpu_profile.md, 8 and 32 rows), so that sixteen take twice the time of one.
MOST_ROWS = 16


class Speculator:
    """The drafts of all sequences, from one proposer."""

    def __init__(
        self,
        proposer: Proposer,
        max_draft_tokens: int,
        *,
        costs: StepCosts | None = None,
        most_rows: int = MOST_ROWS,
    ) -> None:
        """max_draft_tokens: of one sequence in one step."""
        self._proposer = proposer
        self._max_draft_tokens = max_draft_tokens
        self.costs = costs or StepCosts()
        self._most_rows = most_rows
        self._acceptances: WeakKeyDictionary[Sequence, Acceptance] = WeakKeyDictionary()

    def can_draft(self, num_sequences: int) -> bool:
        """Return whether a step of so many sequences has room for drafts."""
        return num_sequences < self._most_rows

    def draft(self, sequences: Row[tuple[Sequence, int]]) -> dict[Sequence, list[int]]:
        """Return the drafts of decoding sequences that have one.

        sequences: with the most tokens that a draft of each may have, all that decode in the step.
        """
        lengths = self._lengths(sequences)
        wanted = [(sequence, length) for sequence, length in lengths.items() if length]
        if not wanted:
            return {}
        drafts = zip(wanted, self._proposer.propose(wanted), strict=True)
        return {sequence: draft for (sequence, _), draft in drafts if draft}

    def record(self, sequence: Sequence, num_drafted: int, num_accepted: int) -> None:
        """Take the result of the draft of a sequence that may have ended with it."""
        self._acceptance(sequence).record(num_drafted, num_accepted, sequence.num_tokens)

    def _acceptance(self, sequence: Sequence) -> Acceptance:
        acceptance = self._acceptances.get(sequence)
        if acceptance is None:
            acceptance = self._acceptances[sequence] = Acceptance()
        return acceptance

    def _lengths(self, sequences: Row[tuple[Sequence, int]]) -> dict[Sequence, int]:
        """Return the number of tokens to draft for each sequence."""
        num_rows = len(sequences)
        lengths: dict[Sequence, int] = {}
        num_expected = float(num_rows)  # tokens
        row_seconds = self.costs.row_seconds
        # Of each sequence, the chance that its next row gives a token, negated for the heap.
        chances = [
            (-(acceptance := self._acceptance(sequence)).chance(sequence.num_tokens), place, acceptance)
            for place, (sequence, limit) in enumerate(sequences)
            if limit > 0
        ]
        heapify(chances)
        while chances and num_rows < self._most_rows:
            negative, place, acceptance = chances[0]
            sequence, limit = sequences[place]
            length = lengths.get(sequence, 0)
            if -negative * self.costs.seconds(num_rows) <= row_seconds * num_expected:
                break
            lengths[sequence] = length + 1
            num_expected -= negative
            num_rows += 1
            is_full = length + 1 >= min(limit, self._max_draft_tokens)
            heapreplace(chances, (0.0 if is_full else negative * acceptance.rate, place, acceptance))
        return lengths
