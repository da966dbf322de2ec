"""The capacity for sequences that wait: cached blocks to start from, free places and free blocks; pure."""

from engine.scheduling.block_pool import BlockPool
from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import SequenceStates

# The most waiting sequences that a step considers; it looks each of them up in the prefix cache.
_MAX_ADMISSIBLE = 128

# The share of all blocks that stays free for running sequences when another is admitted.
_WATERMARK = 0.02


class Capacity:
    """The capacity of one scheduler. It changes nothing: its results hold at the time of the call."""

    def __init__(
        self,
        pool: BlockPool,
        states: SequenceStates | None,
        *,
        max_num_sequences: int,
        prefix_caching: bool,
    ) -> None:
        """Keep the limits. max_num_sequences: the number of places for running sequences."""
        self._pool = pool
        self._states = states
        self._max_num_sequences = max_num_sequences
        self._prefix_caching = prefix_caching

    def admissible(self, waiting: list[Sequence], running: list[Sequence]) -> dict[Sequence, int]:
        """Return the waiting sequences that may be admitted in this step; none if the first in order cannot.

        The values are the numbers of tokens to compute. waiting, running: the sequences in order.
        """
        admissible: dict[Sequence, int] = {}
        for sequence in waiting[:_MAX_ADMISSIBLE]:
            cached = self.find_prefix(sequence)
            if self.fits(sequence, cached, waiting[0], running):
                admissible[sequence] = sequence.num_tokens - len(cached) * self._pool.block_size
            elif not admissible:
                break
        return admissible

    def find_prefix(self, sequence: Sequence) -> list[int]:
        """Return the cached blocks to start from; at least one token is left to compute."""
        if not (self._prefix_caching and sequence.reads_cache):
            return []
        num_blocks = (sequence.num_tokens - 1) // self._pool.block_size
        keys = sequence.keys.of(sequence.token_ids, num_blocks)
        blocks = self._pool.cache.find(keys)
        return blocks if self._states is None else blocks[: self._states.num_covered(keys[: len(blocks)])]

    def fits(self, sequence: Sequence, cached: list[int], first: Sequence, running: list[Sequence]) -> bool:
        """Return whether there is a place for it and its siblings, and blocks for its uncached tokens.

        cached: the blocks that `find_prefix` has found. first: the first sequence of those that wait; one
        that overtakes it leaves a place and blocks for it too.

        While others run, blocks are left free: one for each of those, or a share of the pool if that is more.
        Otherwise one of them would soon preempt the new one, whose computation would be lost (the watermark
        of vLLM's scheduler).
        """
        pool = self._pool
        num_places = sum(1 + one.num_siblings for one in running)
        wanting = [sequence] if sequence is first else [sequence, first]
        num_wanted = sum(min(1 + one.num_siblings, self._max_num_sequences) for one in wanting)
        has_place = num_places + num_wanted <= self._max_num_sequences
        num_shared = sum(pool.is_owned(block) for block in cached)  # the others are free as yet
        num_missing = sum(pool.num_blocks_for(one.num_tokens) for one in wanting) - num_shared
        reserve = max(len(running), int(pool.num_blocks * _WATERMARK)) if running else 0
        return has_place and num_missing + reserve <= pool.num_free
