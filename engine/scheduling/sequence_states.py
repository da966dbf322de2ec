"""The recurrent states of sequences: who owns which slot, and which states are kept for others; pure.

A state cannot be cut as keys and values can, so the prefix cache keeps snapshots of it. They are taken after
full blocks, under the keys of these.
"""

from engine.scheduling.schedule import Schedule, ScheduledTokens
from engine.scheduling.sequence import Sequence
from engine.scheduling.state_slots import StateSlots

# The blocks of a prompt after which its recurrent state is kept, besides that of its last full block.
_SNAPSHOT_STRIDE = 16


class SequenceStates:
    """The states of the sequences of one scheduler.

    A running sequence owns a slot from `start` or `fork` to `end`.
    """

    def __init__(self, slots: StateSlots, block_size: int, *, takes_snapshots: bool = True) -> None:
        """Start without sequences.

        slots: at least as many slots as sequences may run.
        block_size: the number of tokens in a block of the prefix cache.
        takes_snapshots: whether states are kept for other sequences.
        """
        self.slots = slots
        self._block_size = block_size
        self._takes_snapshots = takes_snapshots

    def num_covered(self, keys: list[bytes]) -> int:
        """Return the number of cached blocks, given by key in order, that a sequence can start from."""
        return self.slots.find(keys)

    def start(self, sequence: Sequence) -> None:
        """Give a sequence a slot, with the state after its computed tokens, which cached blocks hold.

        The slot may be the very one of that snapshot, which is the sequence's from then on.
        """
        source = None
        if sequence.num_computed:
            num_blocks = sequence.num_computed // self._block_size
            # Before a slot is taken, since that may be this snapshot's.
            source = self.slots.source(sequence.keys.of(sequence.token_ids, num_blocks)[-1])
        sequence.slot = self.slots.take()
        if source is not None and source != sequence.slot:
            self.slots.copy(source, sequence.slot)

    def fork(self, parent: Sequence, child: Sequence) -> None:
        """Give a child a slot with the state of its parent."""
        assert parent.slot is not None, "a sequence that runs owns a slot"
        child.slot = self.slots.take()
        self.slots.copy(parent.slot, child.slot)

    def end(self, sequence: Sequence) -> None:
        """Take back the slot of a sequence, if it has one."""
        if sequence.slot is not None:
            self.slots.release(sequence.slot)
            sequence.slot = None

    def forget(self, keys: list[bytes]) -> None:
        """Release the snapshots after these blocks, whose contents may be wrong."""
        self.slots.forget(keys)

    def plan(self, schedule: Schedule) -> None:
        """Take the copies that the step begins with, and slots for the states that it is to keep."""
        schedule.state_copies = self.slots.take_copies()
        schedule.released_states = self.slots.take_released()
        if not self._takes_snapshots:
            return
        for entry in schedule.entries:
            sequence, size = entry.sequence, self._block_size
            ends = self._snapshot_ends(entry)
            keys = sequence.keys.of(sequence.token_ids, ends[-1] // size) if ends else []
            begun = [self.slots.begin_snapshot(keys[end // size - 1], end) for end in ends]
            if snapshots := [one for one in begun if one is not None]:
                schedule.snapshots[sequence] = snapshots

    def complete(self, schedule: Schedule) -> None:
        """Keep the snapshots that the step has filled; of a sequence's output, only the newest."""
        for sequence, snapshots in schedule.snapshots.items():
            for snapshot in snapshots:
                self.slots.finish_snapshot(snapshot.key)
            if snapshots[-1].num_tokens > sequence.num_prompt_tokens:
                if sequence.last_snapshot is not None:
                    self.slots.forget([sequence.last_snapshot])
                sequence.last_snapshot = snapshots[-1].key

    def abandon(self, schedule: Schedule) -> set[int]:
        """Return the slots that the step may not have filled, since it failed; release its snapshots."""
        self.slots.abandon_snapshots()
        self.slots.release_again(schedule.released_states)
        return {destination for _, destination in schedule.state_copies}

    def take_idle(self) -> list[int]:
        """Return the released slots that are not yet freed, now that no sequence runs."""
        self.slots.take_copies()  # of sequences that have ended
        return self.slots.take_released()

    def _snapshot_ends(self, entry: ScheduledTokens) -> list[int]:
        """Return the block ends, in order, after which the state of an entry's sequence is to be kept.

        They are the last one of its prompt that another such prompt can start from, one each
        `_SNAPSHOT_STRIDE` blocks before it, and the last one that the entry reaches in the output.
        """
        sequence, size = entry.sequence, self._block_size
        last = (sequence.num_prompt_tokens - 1) // size * size
        stride = size * _SNAPSHOT_STRIDE
        ends = {end for end in range(0, last, stride) if entry.start < end <= entry.end}
        ends |= {last} if entry.start < last <= entry.end else set()
        newest = entry.end // size * size
        ends |= {newest} if newest > max(entry.start, last) else set()
        return sorted(ends)
