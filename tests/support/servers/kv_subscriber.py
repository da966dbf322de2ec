"""A subscriber of KV events, as a router is one: it rebuilds the index of a prefix cache from them alone."""

import time
from collections.abc import Callable
from typing import Any

import msgspec
import zmq

_LAST = (1 << 64) - 1
_POLL_MS = 100


class KVSubscriber:
    """The index of one server. It applies each batch once, in order, and asks again for what it missed.

    blocks: by hash, the parent's hash, the tokens and the extra keys of each block that is in the cache.
    """

    def __init__(self, endpoint: str, replay_endpoint: str, *, topic: str = "") -> None:
        self._context = zmq.Context()
        self._live = self._context.socket(zmq.SUB)
        self._live.setsockopt_string(zmq.SUBSCRIBE, topic)
        self._live.connect(endpoint)
        self._replay = self._context.socket(zmq.DEALER)
        self._replay.connect(replay_endpoint)
        self.blocks: dict[int, tuple[int | None, tuple[int, ...], Any]] = {}
        self.next_number = 0
        self.num_live = 0
        self.num_replayed = 0

    def close(self) -> None:
        self._context.destroy(linger=0)

    def read_live(self, timeout_ms: int = _POLL_MS) -> tuple[int, bytes] | None:
        """Return the next batch that is published, if one comes in time."""
        if not self._live.poll(timeout_ms):
            return None
        _, number, batch = self._live.recv_multipart()
        return int.from_bytes(number, "big"), batch

    def catch_up(self) -> None:
        """Ask for all batches that have not been applied, and apply them."""
        self._replay.send_multipart((b"", self.next_number.to_bytes(8, "big")))
        while True:
            assert self._replay.poll(30_000), "the replay does not end"
            *_, number, batch = self._replay.recv_multipart()
            if (place := int.from_bytes(number, "big")) == _LAST:
                return
            self.num_replayed += 1
            self.apply(place, batch)

    def follow_until(self, is_done: Callable[[], bool], *, seconds: float = 30.0) -> None:
        """Apply what is published, and what was missed before it, until `is_done`.

        Nothing comes until the subscription has reached the server, and nobody may publish after that; so
        what was missed by then is asked for.
        """
        ends_at = time.monotonic() + seconds
        while not is_done():
            assert time.monotonic() < ends_at, "the events do not lead to what is waited for"
            if (published := self.read_live()) is None:
                if not self.num_live:
                    self.catch_up()
                continue
            number, batch = published
            if number > self.next_number:
                self.catch_up()
            if number == self.next_number:
                self.num_live += 1
                self.apply(number, batch)

    def apply(self, number: int, batch: bytes) -> None:
        self.next_number = number + 1
        _, events, rank = msgspec.msgpack.decode(batch)
        assert rank == 0
        for event in events:
            match event["type"]:
                case "BlockStored":
                    self._store(event)
                case "BlockRemoved":
                    for block in event["block_hashes"]:
                        self.blocks.pop(block, None)
                case "AllBlocksCleared":
                    self.blocks.clear()

    def _store(self, event: dict[str, Any]) -> None:
        parent, size = event["parent_block_hash"], event["block_size"]
        assert len(event["token_ids"]) == size * len(event["block_hashes"])
        for place, block in enumerate(event["block_hashes"]):
            tokens = tuple(event["token_ids"][place * size : (place + 1) * size])
            self.blocks[block] = parent, tokens, event["extra_keys"][place]
            parent = block
