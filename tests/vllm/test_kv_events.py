"""Our KV events, read and written again by vLLM's own classes."""

import os
import subprocess
from pathlib import Path

import msgspec

from engine.kv_events.batches import AllBlocksCleared, EventBatch, to_events
from engine.scheduling.cache_changes import CacheChange, RemovedBlock, StoredBlock

_REWRITE = """
import sys
import msgspec
from vllm.distributed.kv_events import KVEventBatch
batch = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=KVEventBatch)
sys.stderr.write(repr(batch))
sys.stdout.buffer.write(msgspec.msgpack.encode(batch))
"""


def test_vllms_classes_read_our_batches_and_write_the_same_bytes() -> None:
    python = Path(os.environ["VLLM"]).with_name("python")
    first, second, third = (bytes(24) + bytes([255] * 7 + [number]) for number in range(3))
    changes: list[CacheChange] = [
        StoredBlock(first, None, (5, 6), "german", (("ff", -1), "salt")),
        StoredBlock(second, first, (7, 2**31), "german"),
        RemovedBlock(second),
        StoredBlock(third, None, (1, 2)),
    ]
    ours = msgspec.msgpack.encode(EventBatch(12.5, [AllBlocksCleared(), *to_events(changes, 2)]))
    done = subprocess.run([python, "-c", _REWRITE], input=ours, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == ours, done.stderr.decode()
