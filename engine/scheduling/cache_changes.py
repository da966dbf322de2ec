"""A record of the blocks that enter and leave the prefix cache, for readers elsewhere; pure, no torch.

Invariant (tests/unit/engine/scheduling/simulation.py): all changes, applied in order, give the cache's keys;
so they do if some of the first are applied to a later state of the cache, and all the others after them.
"""

from threading import Lock
from typing import NamedTuple, TypeAlias


class StoredBlock(NamedTuple):
    """A full block that has entered the cache."""

    key: bytes
    """The block's key (`block_keys.py`)."""

    parent: bytes | None
    """The key of the block before it; None for the first of a sequence."""

    token_ids: tuple[int, ...]
    """The block's tokens."""

    adapter: str | None = None
    """The adapter of its request."""

    extra: tuple[str | tuple[str, int], ...] = ()
    """The other facts that the key depends on: for the first block the salt, and the digest of a prompt that
    sees itself; for each block its media, as pairs of a digest and their start in the block."""


class RemovedBlock(NamedTuple):
    """A block that has left the cache, by its key."""

    key: bytes


CacheChange: TypeAlias = StoredBlock | RemovedBlock


class CacheChanges:
    """A record of a cache's changes, which one thread makes and takes, and of the blocks that are in it."""

    def __init__(self) -> None:
        self._new: list[CacheChange] = []
        self._present: dict[bytes, StoredBlock] = {}
        self._lock = Lock()  # of what is present; it is held for a copy at the longest

    def store(self, block: StoredBlock) -> None:
        self._new.append(block)
        with self._lock:
            self._present[block.key] = block

    def remove(self, key: bytes) -> None:
        self._new.append(RemovedBlock(key))
        with self._lock:
            del self._present[key]

    def take(self) -> list[CacheChange]:
        """Return the changes since the last call, in order."""
        new, self._new = self._new, []
        return new

    def present(self) -> list[StoredBlock]:
        """Return the blocks in the cache, in the order in which they entered. Any thread may call this."""
        with self._lock:
            return list(self._present.values())
