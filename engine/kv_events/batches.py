"""Prefix cache changes in the format of vLLM 0.32: MessagePack, with a map of named fields for each event.

The fields follow vLLM's `distributed/kv_events.py`; in tests/vllm, its classes decode these batches.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from engine.scheduling.cache_changes import CacheChange, RemovedBlock, StoredBlock

_MEDIUM: Final = "GPU"  # vLLM's name for the memory of the model, also on a CPU
_KIND: Final = "full_attention"  # a prefix is only found if all its blocks are cached
_HASH_BYTES: Final = 8

ExtraKeys: TypeAlias = tuple[str | tuple[str, int], ...]


class BlockStored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Consecutive blocks of a sequence that were added to the cache.

    parent_block_hash: hash of the block before them; None at the beginning of a prompt. token_ids: of all
    blocks. extra_keys: for each block, further inputs of its hash. group_idx: vLLM's index of a group of
    layers that are cached in the same way.
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
    """Blocks that were removed from the cache."""

    block_hashes: list[int]
    medium: str | None
    group_idx: int | None = None


class AllBlocksCleared(msgspec.Struct, frozen=True, tag=True):
    """The cache was cleared."""


Event: TypeAlias = BlockStored | BlockRemoved | AllBlocksCleared


class EventBatch(msgspec.Struct, frozen=True, array_like=True):
    """Events in the order of occurrence. ts: Unix time in seconds."""

    ts: float
    events: list[Event]
    data_parallel_rank: int | None = 0


def block_hash(key: bytes) -> int:
    """Return the hash of a block: the last 64 bits of its key, as in vLLM."""
    return int.from_bytes(key[-_HASH_BYTES:], "big")


def to_events(changes: Iterable[CacheChange], block_size: int) -> Iterator[Event]:
    """Convert changes to events, in order; consecutive blocks of a sequence are combined into one event."""
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
