"""The plan of one step: which tokens it computes, and who makes room for them; pure."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.scheduling.block_pool import BlockPool
from engine.scheduling.capacity import Capacity
from engine.scheduling.media_limits import encoded_end, whole_end
from engine.scheduling.queues import Queues
from engine.scheduling.schedule import Schedule, ScheduledTokens
from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.token_budget import divide_budget


class StepLimits(NamedTuple):
    """The limits of a step. max_batch_tokens, max_media_tokens, original_context: as of `Scheduler`."""

    max_batch_tokens: int
    max_media_tokens: int
    original_context: int | None


class StepPlan:
    """The plan of one step, from the sequences of a scheduler, whose invariants it keeps.

    schedule: the tokens that were chosen so far.
    """

    def __init__(
        self,
        queues: Queues,
        pool: BlockPool,
        states: SequenceStates | None,
        capacity: Capacity,
        limits: StepLimits,
    ) -> None:
        """Begin without tokens. The arguments are those of the scheduler."""
        self.schedule = Schedule()
        self._queues = queues
        self._pool = pool
        self._states = states
        self._capacity = capacity
        self._limits = limits

    def make(self, drafts: Mapping[Sequence, list[int]]) -> Schedule:
        """Choose the tokens of the step, allocate the blocks that it writes, and return the schedule.

        drafts: as of `Scheduler.schedule`.
        """
        schedule, queues = self.schedule, self._queues
        shares = self._divide_budget(queues.running)
        for sequence, num_tokens in [share for share in shares if share[0].is_running]:
            if self._make_room(sequence):
                start = sequence.num_computed
                self._take(sequence, self._end(sequence, start, start + num_tokens))
        beginning = [share for share in shares if not share[0].is_running]
        if beginning and schedule.num_preempted == 0:
            self._admit(beginning)
        if queues.waiting and not schedule.entries:
            self._evict_parked()
        if drafts and schedule.num_preempted == 0:
            self._take_drafts(drafts)
        if self._states is not None and schedule.entries:
            self._states.plan(schedule)
        return schedule

    def _divide_budget(self, running: list[Sequence]) -> list[tuple[Sequence, int]]:
        """Return the shares of these sequences, and of those that may begin, in order."""
        queues = self._queues
        admissible = self._capacity.admissible(queues.waiting, queues.running) if queues.waiting else None
        return divide_budget(running, self._limits.max_batch_tokens, admissible)

    def _make_room(self, sequence: Sequence) -> bool:
        """Preempt sequences from the end of the order until `sequence` can grow.

        Return False if it was itself preempted.
        This is called in order, so that a preempted sequence has no tokens scheduled in this step yet.
        """
        while sequence.is_running:
            num_missing = sequence.table.num_missing(sequence.num_tokens, write_from=sequence.num_computed)
            if num_missing <= self._pool.num_free:
                return True
            self._preempt(self._queues.running[-1])
        return False

    def _preempt(self, victim: Sequence) -> None:
        self._queues.preempt(victim)
        self.schedule.num_preempted += 1

    def _evict_parked(self) -> None:
        """Free the blocks of parked sequences, from the end of the order, until one that waits can run."""
        for sequence in reversed([sequence for sequence in self._queues.running if sequence.is_parked]):
            self._preempt(sequence)
            self._admit(self._divide_budget([]))
            if self.schedule.entries:
                return

    def _end(self, sequence: Sequence, start: int, end: int) -> int:
        """Return the end of a chunk that its media allow, `start` for none, and note those that it begins."""
        media, schedule = sequence.media, self.schedule
        if not media or start >= sequence.num_prompt_tokens:
            return end
        num_begun, limit = schedule.num_media_tokens, self._limits.max_media_tokens
        allowed, num_begun = encoded_end(media, start, end, num_begun=num_begun, limit=limit)
        allowed = whole_end(media, start, allowed, may_exceed=not schedule.exceeds_budget)
        schedule.exceeds_budget |= allowed > end
        schedule.num_media_tokens = num_begun
        return allowed

    def _take(self, sequence: Sequence, end: int) -> None:
        """Schedule the tokens of a sequence up to `end`, if there are any."""
        if end == sequence.num_computed:
            return
        copy = sequence.table.grow(sequence.num_tokens, write_from=sequence.num_computed)
        if copy is not None:
            self.schedule.block_copies.append(copy)
        self.schedule.entries.append(ScheduledTokens(sequence, sequence.num_computed, end))

    def _take_drafts(self, drafts: Mapping[Sequence, list[int]]) -> None:
        """Schedule as much of the drafts, in order, as the token budget and the free blocks allow."""
        schedule, pool, original_context = self.schedule, self._pool, self._limits.original_context
        budget = self._limits.max_batch_tokens - schedule.num_rows
        for entry in schedule.entries:
            sequence = entry.sequence
            draft = drafts.get(sequence)
            if not draft or not entry.reaches_end:
                continue
            num_slots = (len(sequence.table.block_ids) + pool.num_free) * pool.block_size
            room = min(budget, num_slots - sequence.num_tokens)
            if original_context is not None and not sequence.is_long:
                room = min(room, original_context - sequence.num_tokens)
            draft = draft[: max(0, room)]
            if draft:
                sequence.table.grow(sequence.num_tokens + len(draft), write_from=sequence.num_tokens)
                schedule.drafts[sequence] = tuple(draft)
                budget -= len(draft)

    def _admit(self, shares: list[tuple[Sequence, int]]) -> None:
        """Begin waiting sequences, in order, each with its share of the token budget."""
        queues, capacity = self._queues, self._capacity
        for sequence, num_tokens in shares:
            cached = capacity.find_prefix(sequence)
            if capacity.fits(sequence, cached, queues.waiting[0], queues.running):
                start = len(cached) * self._pool.block_size
                end = self._end(sequence, start, min(start + num_tokens, sequence.num_tokens))
                if end == start:
                    continue
                queues.waiting.remove(sequence)
                sequence.table.adopt(cached)
                sequence.num_computed = start
                if self._states is not None:
                    self._states.start(sequence)
                queues.run(sequence)
                self._take(sequence, end)
            elif sequence is queues.waiting[0]:
                return
