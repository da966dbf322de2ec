"""The ownership of the KV cache's blocks: pure bookkeeping, no torch.

Invariants (tests/unit/engine/scheduling/test_block_pool.py):
- every block is either free or has a reference count of at least 1, which equals the number of its owners;
- free and owned blocks together are all blocks; a free one may still have tokens that the prefix cache knows;
- a block with more than one owner is never written.
"""

from collections import deque
from collections.abc import Iterable

from engine.scheduling.cache_changes import CacheChanges
from engine.scheduling.prefix_cache import PrefixCache


class BlockPool:
    """A pool of fixed-size blocks of token slots, allocated by number and counted by reference."""

    def __init__(self, num_blocks: int, block_size: int, changes: CacheChanges | None = None) -> None:
        """Make a pool of free blocks. changes: a record of what enters and leaves the prefix cache."""
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.cache = PrefixCache(changes)
        self._free = deque(range(num_blocks))  # those not in the cache
        self._num_owners = [0] * num_blocks

    @property
    def num_free(self) -> int:
        return len(self._free) + self.cache.num_idle

    def num_blocks_for(self, num_tokens: int) -> int:
        return -(-num_tokens // self.block_size)

    def allocate(self) -> int:
        """Allocate the block that has been free longest, cached ones last. Requires `num_free` > 0."""
        block = self._free.popleft() if self._free else self.cache.evict()
        self._num_owners[block] = 1
        return block

    def share(self, block: int) -> None:
        """Add an owner to a block that has one or is in the cache."""
        if self._num_owners[block] == 0:
            self.cache.revive(block)
        self._num_owners[block] += 1

    def is_owned(self, block: int) -> bool:
        return self._num_owners[block] > 0

    def is_shared(self, block: int) -> bool:
        return self._num_owners[block] > 1

    def release(self, block: int) -> None:
        """Remove an owner of a block; without owners the block is free."""
        assert self._num_owners[block] > 0, f"block {block} is free"
        self._num_owners[block] -= 1
        if self._num_owners[block] == 0 and not self.cache.retire(block):
            self._free.append(block)

    def forget(self, keys: Iterable[bytes]) -> list[int]:
        """Remove the blocks with these keys from the cache, and return them."""
        blocks = [block for key in keys if (block := self.cache.forget(key)) is not None]
        self._free.extend(block for block in blocks if not self.is_owned(block))
        return blocks


class BlockTable:
    """The blocks of one sequence, in the order of its tokens."""

    __slots__ = ("_pool", "block_ids")

    def __init__(self, pool: BlockPool) -> None:
        self._pool = pool
        self.block_ids: list[int] = []

    def num_missing(self, num_tokens: int, write_from: int) -> int:
        """Return the number of blocks to allocate before tokens `write_from` to `num_tokens` are written."""
        num_new = self._pool.num_blocks_for(num_tokens) - len(self.block_ids)
        return max(num_new, 0) + self._must_copy(write_from)

    def grow(self, num_tokens: int, write_from: int) -> tuple[int, int] | None:
        """Allocate the missing blocks; return (source, destination) of a copy to make before the write."""
        copy = self._copy_on_write(write_from) if self._must_copy(write_from) else None
        while len(self.block_ids) < self._pool.num_blocks_for(num_tokens):
            self.block_ids.append(self._pool.allocate())
        return copy

    def shrink(self, num_tokens: int) -> None:
        """Release the blocks after those of the first `num_tokens` tokens."""
        while len(self.block_ids) > self._pool.num_blocks_for(num_tokens):
            self._pool.release(self.block_ids.pop())

    def adopt(self, blocks: list[int]) -> None:
        """Start an empty table with blocks that have the sequence's first tokens already."""
        assert not self.block_ids
        for block in blocks:
            self._pool.share(block)
        self.block_ids = list(blocks)

    def fork(self, num_tokens: int) -> "BlockTable":
        """Return a table that shares the blocks with the first `num_tokens` tokens."""
        child = BlockTable(self._pool)
        child.adopt(self.block_ids[: self._pool.num_blocks_for(num_tokens)])
        return child

    def release(self) -> None:
        """Release all blocks, the last first: a cached block is of use only with those before it."""
        for block in reversed(self.block_ids):
            self._pool.release(block)
        self.block_ids = []

    def _must_copy(self, write_from: int) -> bool:
        place = write_from // self._pool.block_size
        return place < len(self.block_ids) and self._pool.is_shared(self.block_ids[place])

    def _copy_on_write(self, write_from: int) -> tuple[int, int]:
        place = write_from // self._pool.block_size
        source = self.block_ids[place]
        self.block_ids[place] = self._pool.allocate()
        self._pool.release(source)
        return source, self.block_ids[place]
