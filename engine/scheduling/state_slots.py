"""The ownership of slots of recurrent state: pure bookkeeping, no torch.

A model with linear attention, short convolutions or Mamba layers keeps, besides keys and values, a state of
constant size for each sequence. A slot holds one such state, of all layers. It belongs to a running sequence,
whose state it holds after `num_computed` tokens, or it is a snapshot: the state after a full block, kept
under that block's key, so that a sequence that starts from cached blocks can start from it.

Invariants (tests/unit/engine/scheduling/test_state_slots.py):
- each slot is free, owned by one running sequence, being filled as a snapshot, or a snapshot;
- a sequence always gets a slot, since there are as many as sequences may run, and snapshots give way, the one
  idle longest first;
- copies are made in the order of their record, before the step in which they are taken computes anything. So
  a slot may be released, and owned anew, while a copy from it is recorded.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple


class Snapshot(NamedTuple):
    """A slot that receives the state of a sequence after its first `num_tokens` tokens.

    key: the key of the block which ends there.
    """

    num_tokens: int
    slot: int
    key: bytes


class StateSlots:
    """A pool of state slots, allocated by number."""

    def __init__(self, num_slots: int) -> None:
        """Make free slots. num_slots: at least the number of sequences that run at the same time."""
        self.num_slots = num_slots
        self._free = list(reversed(range(num_slots)))
        self._snapshots: OrderedDict[bytes, int] = OrderedDict()  # the least recently used first
        self._filling: dict[bytes, int] = {}
        self._copies: list[tuple[int, int]] = []
        self._released: list[int] = []

    @property
    def num_free(self) -> int:
        """The number of slots that a sequence can take, snapshots included."""
        return len(self._free) + len(self._snapshots)

    def take(self) -> int:
        """Return a slot for a sequence; its contents are those of its last owner. Requires `num_free` > 0."""
        if not self._free:
            _, slot = self._snapshots.popitem(last=False)
            return slot
        return self._free.pop()

    def release(self, slot: int) -> None:
        """Take back the slot of a sequence."""
        self._free.append(slot)
        self._released.append(slot)

    def copy(self, source: int, destination: int) -> None:
        """Record that a slot must be copied before the next step."""
        self._copies.append((source, destination))

    def take_copies(self) -> list[tuple[int, int]]:
        """Return the recorded copies as (source, destination), in their order, and forget them."""
        copies, self._copies = self._copies, []
        return copies

    def take_released(self) -> list[int]:
        """Return the slots that sequences have left and none has taken since; forget them."""
        if not self._released:
            return []
        released, self._released = set(self._released), []
        return sorted(released.intersection(self._free))

    def release_again(self, slots: list[int]) -> None:
        """Record released slots that were taken and not freed, unless a sequence takes them first."""
        self._released += slots

    def find(self, keys: Sequence[bytes]) -> int:
        """Return how many of these keys, of a sequence's blocks in order, the last known snapshot covers."""
        return next((num for num in range(len(keys), 0, -1) if keys[num - 1] in self._snapshots), 0)

    def source(self, key: bytes) -> int:
        """Return the slot of the snapshot with this key, whose contents stay until the next step."""
        self._snapshots.move_to_end(key)
        return self._snapshots[key]

    def begin_snapshot(self, key: bytes, num_tokens: int) -> Snapshot | None:
        """Return a slot to be filled in the next step; None if the state is known or no slot can be had."""
        if key in self._filling:
            return None
        if key in self._snapshots:
            self._snapshots.move_to_end(key)
            return None
        if not self.num_free:
            return None
        self._filling[key] = self.take()
        return Snapshot(num_tokens, self._filling[key], key)

    def finish_snapshot(self, key: bytes) -> None:
        """Keep a snapshot whose slot the step has filled."""
        self._snapshots[key] = self._filling.pop(key)

    def abandon_snapshots(self) -> None:
        """Release the slots that a failed step has not filled."""
        self._free.extend(self._filling.values())
        self._filling.clear()

    def forget(self, keys: Sequence[bytes]) -> None:
        """Release the snapshots with these keys, as far as there are any."""
        self._free.extend(slot for key in keys if (slot := self._snapshots.pop(key, None)) is not None)
