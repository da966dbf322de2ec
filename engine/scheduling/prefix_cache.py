"""The prefix cache: full blocks by their contents, so that no prefix is computed twice; no torch.

Invariants (tests/unit/engine/scheduling/test_prefix_cache.py, test_scheduler.py):
- a block is here only once a completed step has written all its slots, and is not written while it is here;
- each key leads to one block, and each block here has one key;
- an idle block, one without owners, counts as free: when others run out, the one idle longest is taken.

The scheduler decides what enters; the block pool says when a block gets its first owner or loses its last.
"""

from collections import OrderedDict
from collections.abc import Iterable

from engine.scheduling.cache_changes import CacheChanges


class PrefixCache:
    """An index of full blocks by key (`block_keys.py`), which evicts the least recently used."""

    def __init__(self, changes: CacheChanges | None = None) -> None:
        """Make an empty cache. changes: a record of what leaves the cache, if anyone reads it."""
        self.changes = changes
        self._blocks: dict[bytes, int] = {}
        self._keys: dict[int, bytes] = {}
        self._idle: OrderedDict[int, None] = OrderedDict()  # in the order in which they became idle

    @property
    def num_idle(self) -> int:
        return len(self._idle)

    def find(self, keys: Iterable[bytes]) -> list[int]:
        """Return the blocks of the longest run of keys, from the first on, that are in the cache."""
        blocks = []
        for key in keys:
            if key not in self._blocks:
                break
            blocks.append(self._blocks[key])
        return blocks

    def insert(self, key: bytes, block: int) -> bool:
        """Add a written block that has an owner, and return whether it is new.

        Of two blocks with the same contents, the first stays.
        """
        if key in self._blocks:
            return False
        assert block not in self._keys, f"block {block} has a key"
        self._blocks[key] = block
        self._keys[block] = key
        return True

    def retire(self, block: int) -> bool:
        """Record that a block lost its last owner, and return whether it is in the cache."""
        if block in self._keys:
            self._idle[block] = None
        return block in self._keys

    def revive(self, block: int) -> None:
        """Record that an idle block has an owner again."""
        del self._idle[block]

    def evict(self) -> int:
        """Remove the block that has been idle longest, and return it. Requires `num_idle` > 0."""
        block, _ = self._idle.popitem(last=False)
        key = self._keys.pop(block)
        del self._blocks[key]
        self._note_removal(key)
        return block

    def forget(self, key: bytes) -> int | None:
        """Remove the block with that key, idle or not, and return it; None if there is none."""
        block = self._blocks.pop(key, None)
        if block is not None:
            del self._keys[block]
            self._idle.pop(block, None)
            self._note_removal(key)
        return block

    def _note_removal(self, key: bytes) -> None:
        if self.changes is not None:
            self.changes.remove(key)
