"""The bytes of KV events are those that vLLM's subscribers read."""

import msgspec

from engine.kv_events.batches import AllBlocksCleared, EventBatch, to_events
from engine.scheduling.cache_changes import CacheChange, RemovedBlock, StoredBlock

A, B, C = (bytes(31) + bytes([number]) for number in (1, 2, 3))


def decoded(*changes: CacheChange) -> list[object]:
    batch = EventBatch(1.5, list(to_events(changes, 2)))
    seconds, events, rank = msgspec.msgpack.decode(msgspec.msgpack.encode(batch))
    assert (seconds, rank) == (1.5, 0)
    assert isinstance(events, list)
    return events


def test_blocks_that_follow_one_another_share_an_event_with_all_fields_that_vllm_demands() -> None:
    assert decoded(StoredBlock(A, None, (5, 6), extra=("salt",)), StoredBlock(B, A, (7, 8))) == [
        {
            "type": "BlockStored",
            "block_hashes": [1, 2],
            "parent_block_hash": None,
            "token_ids": [5, 6, 7, 8],
            "block_size": 2,
            "lora_id": None,
            "medium": "GPU",
            "lora_name": None,
            "extra_keys": [["salt"], None],
            "group_idx": 0,
            "kv_cache_spec_kind": "full_attention",
        }
    ]


def test_an_adapter_is_named_and_goes_into_the_keys_of_each_block() -> None:
    first, second = decoded(
        StoredBlock(A, None, (5, 6), "german", extra=(("ff", 1), "salt")), StoredBlock(B, A, (7, 8))
    )
    assert isinstance(first, dict) and isinstance(second, dict)
    assert (first["lora_name"], first["extra_keys"]) == ("german", [["german", ["ff", 1], "salt"]])
    assert (second["lora_name"], second["extra_keys"], second["parent_block_hash"]) == (None, [None], 1)


def test_the_order_of_changes_is_kept() -> None:
    events = decoded(
        RemovedBlock(A),
        RemovedBlock(C),
        StoredBlock(A, None, (5, 6)),
        StoredBlock(C, None, (6, 6)),
        RemovedBlock(A),
    )
    kinds = [(event["type"], event["block_hashes"]) for event in events if isinstance(event, dict)]
    assert kinds == [
        ("BlockRemoved", [1, 3]),
        ("BlockStored", [1]),
        ("BlockStored", [3]),
        ("BlockRemoved", [1]),
    ]
    assert events[0] == {"type": "BlockRemoved", "block_hashes": [1, 3], "medium": "GPU", "group_idx": 0}


def test_a_cleared_cache_is_an_event_of_its_own() -> None:
    batch = msgspec.msgpack.encode(EventBatch(0.0, [AllBlocksCleared()]))
    assert msgspec.msgpack.decode(batch) == [0.0, [{"type": "AllBlocksCleared"}], 0]
