"""The choice of how many tokens to draft for each sequence, so that a step gives most tokens per second.

A row of draft costs the time of one more row, and gives its token only if all before it come true. Rows are
ordered by the chance of that, and as many are taken as give the most expected tokens per second of the whole
step (Liu et al. 2024, arXiv 2406.14066). So drafts shrink to nothing where they do not come true, and where
so many sequences run that the processor, not the memory, bounds a step.
"""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from heapq import heapify, heappop, heapreplace
from weakref import WeakKeyDictionary

from engine.scheduling.sequence import Sequence
from engine.speculation.acceptance import Acceptance
from engine.speculation.proposer import Proposal, Proposer
from engine.speculation.step_costs import StepCosts

# The most rows of a step with drafts, those of the sequences included. Up to eight rows cost a CPU little,
# since it waits for the weights; sixteen take twice the time of one, and more rows each their share of that.
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
        """Begin without measurements. max_draft_tokens: the most drafted tokens of a sequence in a step."""
        self._proposer = proposer
        self._longest = max_draft_tokens
        self.costs = costs or StepCosts()
        self._most_rows = most_rows
        self._acceptances: WeakKeyDictionary[Sequence, Acceptance] = WeakKeyDictionary()
        # The last proposal, with the number of tokens that the sequence had.
        self._proposed: WeakKeyDictionary[Sequence, tuple[int, Proposal]] = WeakKeyDictionary()

    def can_draft(self, num_sequences: int) -> bool:
        """Return whether a step of so many sequences has room for drafts."""
        return num_sequences < self._most_rows

    def draft(self, sequences: SequenceOf[tuple[Sequence, int]]) -> dict[Sequence, list[int]]:
        """Return the drafts of decoding sequences that have one.

        sequences: with the most tokens that a draft of each may have, all that decode in the step.
        """
        wanted = [(sequence, min(limit, self._longest)) for sequence, limit in sequences if limit > 0]
        for sequence, _ in wanted:
            self._learn(sequence)
        proposals = dict(
            zip((sequence for sequence, _ in wanted), self._proposer.propose(wanted), strict=True)
        )
        for sequence, proposal in proposals.items():
            if proposal.token_ids:
                self._proposed[sequence] = sequence.num_tokens, proposal
        if not self.costs.knows(len(sequences)):
            return {}  # a step without drafts, with which those of more rows are compared
        lengths = self._lengths(len(sequences), proposals)
        return {sequence: proposals[sequence].token_ids[:length] for sequence, length in lengths.items()}

    def _learn(self, sequence: Sequence) -> None:
        """Compare the last proposal for the sequence with its tokens."""
        if (proposed := self._proposed.pop(sequence, None)) is not None:
            num_tokens, proposal = proposed
            self._acceptance(sequence).record(proposal, sequence.token_ids[num_tokens:])

    def _acceptance(self, sequence: Sequence) -> Acceptance:
        acceptance = self._acceptances.get(sequence)
        if acceptance is None:
            acceptance = self._acceptances[sequence] = Acceptance()
        return acceptance

    def _lengths(self, num_rows: int, proposals: Mapping[Sequence, Proposal]) -> Mapping[Sequence, int]:
        """Return the number of tokens to draft for each sequence that gets any.

        num_rows: those of the step without drafts.
        """
        # Of each sequence: the chance that its next row gives a token, negated for the heap.
        heap = [
            (-self._acceptance(sequence).chance(proposal.num_matched), place, 0, sequence)
            for place, (sequence, proposal) in enumerate(proposals.items())
            if proposal.token_ids
        ]
        heapify(heap)
        rows: list[Sequence] = []
        num_expected = float(num_rows)  # tokens
        num_taken, best = 0, num_expected / self.costs.seconds(num_rows)
        while heap and num_rows + len(rows) < self._most_rows:
            negative, place, length, sequence = heap[0]
            rows.append(sequence)
            num_expected -= negative
            rate = num_expected / self.costs.seconds(num_rows + len(rows))
            if rate > best:
                num_taken, best = len(rows), rate
            length += 1
            token_ids, num_matched = proposals[sequence]
            if length < len(token_ids):
                chance = self._acceptance(sequence).chance(num_matched + length)
                heapreplace(heap, (negative * chance, place, length, sequence))
            else:
                heappop(heap)
        return Counter(rows[:num_taken])
