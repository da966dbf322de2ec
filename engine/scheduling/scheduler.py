"""The scheduler, which chooses the tokens that the next step computes: pure, no torch, no clock.

`StepPlan` makes the choice of one step, from the sequences that wait and run (`Queues`).

Invariants (tests/unit/engine/scheduling/test_scheduler.py):
- a step computes at most `max_batch_tokens` tokens, of at most `max_num_sequences` sequences, and the rest of
  one range of a medium that sees itself beyond them, since no chunk ends within such a range;
- the media that begin in a step have at most `max_media_tokens` tokens, unless it is one;
- the first of those that run always advances, so every sequence ends (no starvation);
- sequences that wait hold no blocks; those that run hold enough for all tokens they have computed;
- a block is written by its only owner;
- drafted tokens take what a step has left: for them no sequence is preempted and no other token is left out;
- a sequence of a model with recurrent state owns a slot of it while it runs;
- the prefix cache shows a block after the step that filled it is complete, and a sequence starts from cached
  blocks that hold its own first tokens, never all of them: the last token's row gives the next token.

A beam that waits for its siblings is parked: none of its tokens are scheduled. It may lose its blocks like
any other, and is then in neither list until it continues.

Order is (due, arrival, index): a sequence is due at the step in which it came, and _STEPS_A_PRIORITY steps
later for each level of its priority number. So equals are served first come, first served, and sequences of a
higher priority overtake a waiting one for a bounded number of steps only.

Decoding sequences take a token of the budget each, then their forced tokens, so that a long prompt never
stalls them; prompts share the rest in chunks, one half in order, the other half the shortest first
(`token_budget.py`), so that a short prompt never waits for a long one to be computed. A waiting sequence may
be overtaken only while a place and blocks remain for it. When blocks run out, the last sequence in order is
preempted: it loses its blocks and waits, and is later computed again from its tokens (recomputation, as in
Kwon et al. 2023, arXiv 2309.06180).

Some models compute all keys and values of a sequence otherwise once it has more tokens than their original
context (LongRoPE). Such a sequence is computed again from its first token when it gets there, and shares
blocks with long ones alone.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engine.port.info.adapter import Adapter, UsedAdapters
from engine.port.request import Prompt
from engine.scheduling.block_keys import BlockKeys, Tags
from engine.scheduling.block_pool import BlockPool, BlockTable
from engine.scheduling.capacity import Capacity
from engine.scheduling.queues import Queues
from engine.scheduling.schedule import Schedule, ScheduledTokens
from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.step_plan import StepLimits, StepPlan

# The number of steps by which a level of priority outweighs an earlier arrival.
_STEPS_A_PRIORITY = 512

_NO_DRAFTS: Mapping[Sequence, list[int]] = MappingProxyType({})

# The tag of blocks whose sequences were longer than the model's original context.
_LONG = ("rope", "long")


def _adapters(sequences: list[Sequence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.adapter.name for each in sequences if each.adapter is not None))


class Scheduler:
    def __init__(
        self,
        pool: BlockPool,
        *,
        max_batch_tokens: int,
        max_num_sequences: int,
        prefix_caching: bool = True,
        shares_blocks: bool = True,
        states: SequenceStates | None = None,
        original_context: int | None = None,
        max_media_tokens: int | None = None,
    ) -> None:
        """Make a scheduler without sequences.

        max_batch_tokens: the most tokens of a step.
        max_num_sequences: the most sequences that run at the same time.
        shares_blocks: whether sequences share blocks; if not, a fork takes as many as its parent has, and
            no prefix is cached.
        states: the slots of recurrent states; None for a model without recurrent state.
        original_context: the number of tokens above which a sequence is long; None if no sequence is.
        max_media_tokens: the most tokens of media that begin in a step; None takes max_batch_tokens.
        """
        self.pool = pool
        self.states = states
        self._shares_blocks = shares_blocks
        self._prefix_caching = prefix_caching and shares_blocks
        self._capacity = Capacity(
            pool, states, max_num_sequences=max_num_sequences, prefix_caching=self._prefix_caching
        )
        self._limits = StepLimits(max_batch_tokens, max_media_tokens or max_batch_tokens, original_context)
        self._max_num_sequences = max_num_sequences
        self._num_steps = 0
        self._queues = Queues(states)
        self.waiting, self.running = self._queues.waiting, self._queues.running  # both sorted by order

    @property
    def is_even(self) -> bool:
        """True if all sequences are computed alike, whatever their length, and keep no recurrent state."""
        return self._limits.original_context is None and self.states is None

    def used_adapters(self) -> UsedAdapters:
        """Return the adapters of all sequences. Any thread may call this."""
        return UsedAdapters(_adapters(list(self.running)), _adapters(list(self.waiting)))

    def new_sequence(
        self,
        *,
        order: tuple[int, int, int],
        prompt: Prompt,
        num_siblings: int = 0,
        tags: Tags = (),
        adapter: Adapter | None = None,
        reads_cache: bool = True,
    ) -> Sequence:
        """Return a sequence without blocks, not yet added. It shares cached blocks with those of equal tags.

        order: (priority, arrival, index); lower runs first. tags: the facts on which keys and values depend,
        which name the adapter too.
        """
        keys = BlockKeys(tags, self.pool.block_size, prompt.media)
        sequence = self._place(order, list(prompt.token_ids), keys, reads_cache=reads_cache)
        sequence.num_siblings, sequence.adapter = num_siblings, adapter
        return sequence

    def _place(
        self, order: tuple[int, int, int], token_ids: list[int], keys: BlockKeys, *, reads_cache: bool = True
    ) -> Sequence:
        """Return a sequence that stands after all that have arrived by now."""
        priority, arrival, index = order
        due = self._num_steps + priority * _STEPS_A_PRIORITY
        table = BlockTable(self.pool)
        return Sequence((due, arrival, index), token_ids, len(token_ids), table, keys, reads_cache, priority)

    def add(self, sequence: Sequence) -> None:
        """Add a sequence whose tokens, all it may ever have, fit the pool."""
        self._queues.wait(sequence)

    def fork(self, parent: Sequence, *, index: int) -> Sequence:
        """Return a sibling that continues from the tokens of `parent`, all computed, and shares their blocks.

        It waits, to be computed by itself, if there is no place for another sequence, or no blocks of its own
        where they are not shared.
        """
        parent.num_siblings -= 1
        due, arrival, _ = parent.order
        child = Sequence(
            (due, arrival, index),
            parent.token_ids.copy(),
            parent.num_tokens,
            BlockTable(self.pool),
            parent.keys.fork(),
            parent.reads_cache,
            parent.priority,
            parent.adapter,
            is_long=parent.is_long,
        )
        if len(self.running) >= self._max_num_sequences or not parent.is_running:
            self.add(child)
            return child
        if self._shares_blocks:
            child.table = parent.table.fork(parent.num_computed)
        elif self.pool.num_blocks_for(parent.num_computed) <= self.pool.num_free:
            child.table.grow(parent.num_computed, write_from=parent.num_computed)
        else:
            self.add(child)
            return child
        child.num_computed = parent.num_computed
        if self.states is not None:
            self.states.fork(parent, child)
        self._queues.run(child)
        return child

    def begin_again(self, ended: Sequence, *, index: int) -> Sequence:
        """Add and return a sibling that starts from the prompt of an ended one, after all others."""
        prompt = ended.token_ids[: ended.num_prompt_tokens]
        keys = ended.keys.fork(len(prompt))
        sequence = self._place((ended.priority, ended.arrival, index), prompt, keys)
        sequence.adapter, sequence.is_long = ended.adapter, ended.is_long
        self.add(sequence)
        return sequence

    def remove(self, sequence: Sequence) -> None:
        """Remove a sequence, whatever its state, and free its blocks."""
        self._queues.remove(sequence)

    def discard(self, sequence: Sequence) -> list[int]:
        """Remove a sequence whose blocks may have wrong contents, and remove these from the cache.

        Return the blocks that have no owner any more.
        """
        keys = sequence.keys.of(sequence.token_ids, sequence.num_tokens // self.pool.block_size)
        if self.states is not None:
            self.states.forget(keys)
        suspects = {*sequence.table.block_ids, *self.pool.forget(keys)}
        self.remove(sequence)
        return [block for block in suspects if not self.pool.is_owned(block)]

    def preempt(self, victim: Sequence) -> None:
        """Take its blocks from a sequence that runs, which is computed again from its tokens."""
        self._queues.preempt(victim)

    def unpark(self, sequence: Sequence) -> None:
        """Let a parked sequence continue, after a token was appended."""
        sequence.is_parked = False
        if not sequence.is_running:
            self.add(sequence)

    def schedule(self, drafts: Mapping[Sequence, list[int]] = _NO_DRAFTS) -> Schedule:
        """Choose the tokens of the next step, and allocate the blocks that it writes.

        drafts: tokens that may come next in some sequences, to be computed as far as there is room. A
        sequence with a draft has no siblings to fork.
        """
        self._num_steps += 1
        if self._limits.original_context is not None:
            self._restart_lengthened(self._limits.original_context)
        plan = StepPlan(self._queues, self.pool, self.states, self._capacity, self._limits)
        return plan.make(drafts)

    def complete(self, schedule: Schedule) -> None:
        """Record that the step ran: its tokens' keys and values are in their blocks, for others to use.

        Keys and values of drafted tokens are there too, but count only once the tokens are confirmed.
        """
        for entry in schedule.entries:
            self._advance(entry)
        if self.states is not None:
            self.states.complete(schedule)

    def abandon(self, schedule: Schedule) -> None:
        """Record that the step failed, whose sequences are yet to be removed.

        Other sequences, which forks may have left with a copy that the step did not make, are computed again.
        """
        if self.states is None:
            return
        unfilled = self.states.abandon(schedule)
        failed = {entry.sequence for entry in schedule.entries}
        for sequence in [one for one in self.running if one.slot in unfilled and one not in failed]:
            self.preempt(sequence)
            schedule.num_preempted += 1

    def take_idle_states(self) -> list[int]:
        """Return the state slots to be freed at once, which the last sequences have left."""
        assert not self.running and not self.waiting, "the next step frees what its sequences have left"
        return [] if self.states is None else self.states.take_idle()

    def confirm(self, sequence: Sequence) -> None:
        """Record that the sequence's last token is the one that was drafted, and so is computed already."""
        assert sequence.num_uncomputed == 1, "drafted tokens are confirmed one by one, as they are appended"
        self._advance(ScheduledTokens(sequence, sequence.num_computed, sequence.num_tokens))

    def see(self, sequence: Sequence) -> None:
        """Show the block that an unseen token has filled, now that the token is known."""
        size = self.pool.block_size
        is_computed = sequence.num_computed == sequence.num_tokens
        if self._prefix_caching and is_computed and sequence.num_tokens % size == 0:
            self._show_filled(ScheduledTokens(sequence, sequence.num_tokens - 1, sequence.num_tokens))

    def drop_draft(self, sequence: Sequence) -> None:
        """Release the blocks of a sequence's drafted tokens that were not confirmed."""
        sequence.table.shrink(sequence.num_tokens)

    def _advance(self, entry: ScheduledTokens) -> None:
        sequence, start, end = entry
        size = self.pool.block_size
        sequence.num_computed = end
        if sequence.has_unseen and end == sequence.num_tokens:
            entry = ScheduledTokens(sequence, start, end - 1)
        if self._prefix_caching and start // size < entry.end // size:
            self._show_filled(entry)

    def _show_filled(self, entry: ScheduledTokens) -> None:
        """Put the blocks that these tokens have filled into the prefix cache."""
        sequence, size = entry.sequence, self.pool.block_size
        places = range(entry.start // size, entry.end // size)
        keys = sequence.keys.of(sequence.token_ids, places.stop)
        cache = self.pool.cache
        for place in places:
            is_new = cache.insert(keys[place], sequence.table.block_ids[place])
            if is_new and cache.changes is not None:
                cache.changes.store(sequence.keys.stored(sequence.token_ids, place))

    def _restart_lengthened(self, original_context: int) -> None:
        """Let sequences that have become long, or are new, begin without the blocks of the other kind."""
        for sequence in [*self.running, *self.waiting]:
            is_long = sequence.num_tokens > original_context
            if is_long == sequence.is_long:
                continue
            sequence.is_long = is_long
            tags = tuple(tag for tag in sequence.keys.tags if tag != _LONG)
            sequence.keys = sequence.keys.beside((*tags, _LONG) if is_long else tags)
            if sequence.is_running:
                self._queues.restart(sequence)
