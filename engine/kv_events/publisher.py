"""The thread that publishes prefix cache changes over ZMQ, and replays batches that subscribers missed.

The sockets and frames are those of vLLM: a PUB socket sends (topic, sequence number, batch), and a ROUTER
socket answers a sequence number with all buffered batches from that number on, followed by a message with the
number -1. Numbers are 8 bytes, big-endian. In addition to vLLM: - The first batch clears the state that a
subscriber may have from an earlier process, and the last batch that of this process. - If requested batches
are no longer buffered, a batch with all blocks that are currently in the cache replaces them. - Publishing
never blocks the engine: if the queue is full, a batch is lost, and then the whole cache is published. - The
buffer and the queue have a bound in bytes too. A slow subscriber misses batches, and may request them again.
- A replay to a slow subscriber waits until its socket's queue has room.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from threading import Thread
from typing import Final, NamedTuple

import msgspec
import zmq

from engine.config import KVEventsConfig
from engine.kv_events.batches import AllBlocksCleared, Event, EventBatch, to_events
from engine.port.errors import CannotPublish
from engine.port.info.stats import KVEventCounters
from engine.scheduling.cache_changes import CacheChanges, StoredBlock

_MAX_QUEUED: Final = 10_000  # batches
_MAX_BYTES: Final = 2**26  # of the batches that are kept, and as many of those that are queued
# Unread batches of one subscriber: with 40 kB each, from a large prompt, as many bytes as above.
_MAX_UNREAD: Final = 1600
_MAX_UNREAD_REPLIES: Final = 256
_MAX_REPLAYS: Final = 16  # pending for one subscriber
_REPLAY_PAUSE_MS: Final = 10  # before sending is tried again to a slow subscriber
_REPLAY_PATIENCE_S: Final = 60.0  # after which the replays of a subscriber that does not read are dropped
_LINGER_MS: Final = 200  # to flush sent messages when the process ends
_JOIN_S: Final = 1.0
_POLL_MS: Final = 500  # maximum delay until a lost batch is noticed if no batch follows
_LAST: Final = (-1).to_bytes(8, "big", signed=True)
_INBOX: Final = "inproc://batches"
_CLEARED: Final = AllBlocksCleared()

_log = logging.getLogger(__name__)


class KVEventPublisher:
    """A publisher for the engine's thread, which calls all methods except `counters`."""

    def __init__(
        self,
        config: KVEventsConfig,
        *,
        max_queued: int = _MAX_QUEUED,
        max_bytes: int = _MAX_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the sockets. Raises CannotPublish if an endpoint cannot be used.

        max_queued: maximum batches in the queue to the thread. max_bytes: maximum bytes in this queue, and in
        the replay buffer. clock: returns Unix time in seconds.
        """
        self._context = zmq.Context()
        self._clock = clock
        self._topic = config.topic.encode()
        self._max_bytes = max_bytes
        self._kept = _Kept(config.buffer_steps, max_bytes)
        self._num_bytes_handed = 0  # queued for the thread since the start
        self._num_bytes_taken = 0  # read by the thread since the start
        self._replays: dict[bytes, deque[_Replay]] = {}  # by client
        self._whole: _Whole | None = None  # only while there are replays
        self._next_number = 0
        self._lost_some = False
        self._num_lost = 0
        self._changes = CacheChanges()
        self._block_size = 0
        self._thread = Thread(target=self._run, name="kv-events", daemon=True)
        try:
            self._public = self._open(zmq.PUB, config.endpoint, min(config.buffer_steps, _MAX_UNREAD))
            self._replay = self._open(zmq.ROUTER, config.replay_endpoint, _MAX_UNREAD_REPLIES)
            self._inbox = self._open(zmq.PULL, _INBOX, max_queued)
            self._outbox = self._open(zmq.PUSH, None, 1)
            self._outbox.connect(_INBOX)
        except CannotPublish:
            self._context.destroy(linger=0)
            raise
        # The bound endpoints, in which the port 0 is replaced by the actual port.
        self.endpoint = self._public.getsockopt_string(zmq.LAST_ENDPOINT)
        self.replay_endpoint = self._replay.getsockopt_string(zmq.LAST_ENDPOINT) or None

    def _open(self, kind: int, endpoint: str | None, most_queued: int) -> "zmq.Socket[bytes]":
        """Open a socket, and bind or connect it by vLLM's rules for endpoints."""
        socket = self._context.socket(kind)
        socket.set_hwm(most_queued)
        socket.setsockopt(zmq.LINGER, _LINGER_MS)
        if kind == zmq.ROUTER:
            socket.setsockopt(zmq.ROUTER_MANDATORY, 1)  # report a full queue instead of dropping messages
        if endpoint is None:
            return socket
        try:
            if "*" in endpoint or "::" in endpoint or endpoint.startswith(("ipc://", "inproc://")):
                socket.bind(endpoint)
            else:
                socket.connect(endpoint)
        except zmq.ZMQError as error:
            raise CannotPublish(endpoint, error.strerror or str(error)) from error
        return socket

    def start(self, changes: CacheChanges, block_size: int) -> None:
        """Start publishing the changes of a cache with blocks of `block_size` tokens. May be called once."""
        self._changes, self._block_size = changes, block_size
        self._thread.start()

    def publish(self) -> None:
        """Queue the changes since the last call for the thread, without blocking."""
        changes = self._changes.take()
        if not changes:
            return
        batch = self._encode(list(to_events(changes, self._block_size)))
        num_queued = self._num_bytes_handed - self._num_bytes_taken
        if num_queued and num_queued + len(batch) > self._max_bytes:
            self._lose()
            return
        try:
            self._outbox.send(batch, zmq.DONTWAIT)
        except zmq.Again:
            self._lose()
        else:
            self._num_bytes_handed += len(batch)

    def _lose(self) -> None:
        self._num_lost += 1
        self._lost_some = True

    def counters(self) -> KVEventCounters:
        """Return the counts of batches. Thread-safe."""
        return KVEventCounters(num_batches=self._next_number, num_lost=self._num_lost)

    def close(self) -> None:
        """Publish the queued batches and end the thread; batches not sent within a second are dropped."""
        if self._thread.is_alive():
            self._outbox.setsockopt(zmq.SNDTIMEO, _LINGER_MS)
            try:
                self._outbox.send(b"")
            except zmq.Again:
                _log.error("KV events are not sent fast enough; the last batches are lost")
            self._outbox.close()
            self._thread.join(_JOIN_S)
        else:
            self._context.destroy(linger=0)

    def _run(self) -> None:
        poller = zmq.Poller()
        poller.register(self._inbox, zmq.POLLIN)
        poller.register(self._replay, zmq.POLLIN)
        self._send_events([_CLEARED])
        is_open = True
        while is_open:
            ready = {socket for socket, _ in poller.poll(_REPLAY_PAUSE_MS if self._replays else _POLL_MS)}
            if self._inbox in ready:
                is_open = self._read_batch()
            elif self._lost_some:
                self._recover()
            if self._replay in ready:
                self._read_request()
            self._send_replays()
        self._send_events([_CLEARED])
        for socket in (self._inbox, self._public, self._replay):
            socket.close()
        self._context.term()

    def _read_batch(self) -> bool:
        """Publish the next queued batch; return False after the last one."""
        batch = self._inbox.recv()
        if batch:
            self._num_bytes_taken += len(batch)
            self._send(batch)
        return bool(batch)

    def _recover(self) -> None:
        """Publish the whole cache after a batch was lost, when the queue is empty."""
        self._lost_some = False  # reset before the cache is read, so that a later loss is not missed
        _log.error("KV events were produced faster than sent; the whole cache is published instead")
        self._send_events(self._contents())

    def _contents(self) -> list[Event]:
        """Return events that reset any state to the current blocks of the cache."""
        present: Sequence[StoredBlock] = self._changes.present()
        return [_CLEARED, *to_events(present, self._block_size)]

    def _encode(self, events: list[Event]) -> bytes:
        return msgspec.msgpack.encode(EventBatch(self._clock(), events))

    def _send_events(self, events: list[Event]) -> None:
        self._send(self._encode(events))

    def _send(self, batch: bytes) -> None:
        number, self._next_number = self._next_number, self._next_number + 1
        self._kept.append(batch)
        self._public.send_multipart((self._topic, _in_bytes(number), batch))

    def _read_request(self) -> None:
        """Read a subscriber's request for missed batches; an invalid one is ignored, with a warning."""
        frames = self._replay.recv_multipart()
        if len(frames) != 3 or len(frames[2]) != 8:
            _log.warning("ignored an invalid replay request for KV events; it must be a number of 8 bytes")
            return
        client, _, first = frames
        replays = self._replays.setdefault(client, deque())
        if len(replays) == _MAX_REPLAYS:
            _log.warning("ignored a replay request for KV events: the subscriber has too many pending ones")
            return
        replays.append(_Replay(client, int.from_bytes(first, "big"), time.monotonic()))

    def _send_replays(self) -> None:
        """Send pending replays as far as the subscribers read them."""
        for client, replays in list(self._replays.items()):
            try:
                while replays:
                    self._go_on(replays[0])
                    replays.popleft()
            except zmq.Again:
                if time.monotonic() - replays[0].moved_at < _REPLAY_PATIENCE_S:
                    continue
                _log.warning("dropped the replays of KV events for a subscriber that does not read them")
            except zmq.ZMQError as error:
                if error.errno != zmq.EHOSTUNREACH:  # the subscriber has disconnected
                    raise
            del self._replays[client]
        if not self._replays:
            self._whole = None

    def _go_on(self, replay: "_Replay") -> None:
        """Send the rest of a replay. Raises zmq.Again if the socket's queue is full."""
        if replay.next_number < self._kept.oldest:
            self._reply(replay, self._kept.oldest - 1, self._whole_cache())
        for number, batch in self._kept.since(replay.next_number):
            self._reply(replay, number, batch)
        self._replay.send_multipart((replay.client, b"", b"", _LAST, b""), zmq.DONTWAIT)

    def _whole_cache(self) -> bytes:
        """Return a batch with all blocks, shared by replays as long as all later batches are buffered."""
        if self._whole is None or self._whole.next_number < self._kept.oldest:
            self._whole = _Whole(self._next_number, self._encode(self._contents()))
        return self._whole.batch

    def _reply(self, replay: "_Replay", number: int, batch: bytes) -> None:
        frames = (replay.client, b"", self._topic, _in_bytes(number), batch)
        self._replay.send_multipart(frames, zmq.DONTWAIT)
        replay.next_number, replay.moved_at = number + 1, time.monotonic()


class _Kept:
    """The replay buffer: the last batches, numbered from 0. oldest: number of the first buffered batch."""

    def __init__(self, max_batches: int, max_bytes: int) -> None:
        """Create an empty buffer.

        max_batches, max_bytes: limits of the buffer; the last batch is always kept, regardless of its size.
        """
        self._max_batches = max_batches
        self._max_bytes = max_bytes
        self._num_bytes = 0
        self._batches = deque[bytes]()
        self.oldest = 0

    def __len__(self) -> int:
        return len(self._batches)

    def append(self, batch: bytes) -> None:
        self._batches.append(batch)
        self._num_bytes += len(batch)
        while len(self) > self._max_batches or (self._num_bytes > self._max_bytes and len(self) > 1):
            self._num_bytes -= len(self._batches.popleft())
            self.oldest += 1

    def since(self, number: int) -> Iterator[tuple[int, bytes]]:
        """Yield the buffered batches from a number on, with their numbers."""
        first = max(number, self.oldest)
        yield from enumerate(islice(self._batches, first - self.oldest, None), first)


class _Whole(NamedTuple):
    """A batch with the whole cache. next_number: number of the first batch that it may not include."""

    next_number: int
    batch: bytes


class _Replay:
    """A replay of missed batches to a subscriber.

    next_number: number of the next batch to send. moved_at: monotonic time when the last batch was sent.
    """

    def __init__(self, client: bytes, next_number: int, moved_at: float) -> None:
        self.client = client
        self.next_number = next_number
        self.moved_at = moved_at


def _in_bytes(number: int) -> bytes:
    return number.to_bytes(8, "big")
