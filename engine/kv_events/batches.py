"""Changes of the prefix cache in the form of vLLM 0.32: MessagePack, each event a map of named fields.

Which fields there are, and which of them are optional, follows vLLM's `distributed/kv_events.py`, whose own
classes read these batches in tests/vllm.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from engine.scheduling.cache_changes import CacheChange, RemovedBlock, StoredBlock

_MEDIUM: Final = "GPU"  # vLLM's word for the memory that the model computes in, on a CPU too
_KIND: Final = "full_attention"  # a prefix is found only if all of its blocks are there
_HASH_BYTES: Final = 8

ExtraKeys: TypeAlias = tuple[str | tuple[str, int], ...]


class BlockStored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Blocks that follow one another in a sequence, and have entered the cache.

    parent_block_hash: of the block before them. token_ids: of all of them. extra_keys: for each block, what
    its hash depends on besides. group_idx: vLLM's number of layers that are cached alike.
    """

    block_hashes: list[int]
    parent_block_hash: int | None
    token_ids: list[int]
    block_size: int
    lora_id: int | None
    medium: str | None
    lora_name: str | None
    extra_keys: list[ExtraKeys | None] | None = None
    group_idx: int | None = None
    kv_cache_spec_kind: str | None = None


class BlockRemoved(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Blocks that have left the cache."""

    block_hashes: list[int]
    medium: str | None
    group_idx: int | None = None


class AllBlocksCleared(msgspec.Struct, frozen=True, tag=True):
    """The cache is empty."""


Event: TypeAlias = BlockStored | BlockRemoved | AllBlocksCleared


class EventBatch(msgspec.Struct, frozen=True, array_like=True):
    """Events in the order in which they occurred. ts: seconds since 1970."""

    ts: float
    events: list[Event]
    data_parallel_rank: int | None = 0


def block_hash(key: bytes) -> int:
    """Return a block's hash, the last 64 bits of its key, as vLLM shortens its own."""
    return int.from_bytes(key[-_HASH_BYTES:], "big")


def to_events(changes: Iterable[CacheChange], block_size: int) -> Iterator[Event]:
    """Yield events of changes, in order; blocks that follow one another in a sequence share one."""
    run: list[StoredBlock | RemovedBlock] = []
    for change in changes:
        if run and not _belongs(change, run[-1]):
            yield _event(run, block_size)
            run = []
        run.append(change)
    if run:
        yield _event(run, block_size)


def _belongs(change: CacheChange, last: CacheChange) -> bool:
    if isinstance(change, RemovedBlock):
        return isinstance(last, RemovedBlock)
    return isinstance(last, StoredBlock) and change.parent == last.key and change.adapter == last.adapter


def _event(run: Sequence[CacheChange], block_size: int) -> Event:
    hashes = [block_hash(change.key) for change in run]
    stored = [change for change in run if isinstance(change, StoredBlock)]
    if not stored:
        return BlockRemoved(block_hashes=hashes, medium=_MEDIUM, group_idx=0)
    parent, adapter = stored[0].parent, stored[0].adapter
    return BlockStored(
        block_hashes=hashes,
        parent_block_hash=None if parent is None else block_hash(parent),
        token_ids=[token_id for block in stored for token_id in block.token_ids],
        block_size=block_size,
        lora_id=None,
        medium=_MEDIUM,
        lora_name=adapter,
        extra_keys=[_extra_keys(block) for block in stored],
        group_idx=0,
        kv_cache_spec_kind=_KIND,
    )


def _extra_keys(block: StoredBlock) -> ExtraKeys | None:
    adapter = () if block.adapter is None else (block.adapter,)
    return (*adapter, *block.extra) or None
