"""The thread that publishes the changes of the prefix cache over ZMQ, and sends again what was missed.

The sockets and their frames are vLLM's: a PUB socket sends (topic, sequence number, batch), and a ROUTER
socket answers a number with all batches from that one on, as far as they are kept, and one of the number -1
at last. Numbers are 8 bytes, big-endian. Beyond vLLM,
- the first batch clears what a subscriber may know of an earlier process, the last what it knows of this one;
- where batches are asked for that are not kept any more, one before the kept ones stands for them, which has
  all blocks that are in the cache now;
- a batch is never waited for: where too many of them queue it is lost, and then the whole cache is published;
- batches are kept and queued within a bound of bytes too; one who does not read misses some, and may ask for
  them;
- who asks for batches and does not read them is sent no more than its queue takes, and the rest when there is
  room again.
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
# Batches for one subscriber that it has not read: of 40 kB, from a large prompt, as many bytes as above.
_MAX_UNREAD: Final = 1600
_MAX_UNREAD_REPLIES: Final = 256
_MAX_REPLAYS: Final = 16  # of one subscriber at a time
_REPLAY_PAUSE_MS: Final = 10  # until one who does not read is sent more
_REPLAY_PATIENCE_S: Final = 60.0  # after which one who does not read gets no more
_LINGER_MS: Final = 200  # for what has been sent when the process ends
_JOIN_S: Final = 1.0
_POLL_MS: Final = 500  # the longest until a loss is noticed where no batch follows
_LAST: Final = (-1).to_bytes(8, "big", signed=True)
_INBOX: Final = "inproc://batches"
_CLEARED: Final = AllBlocksCleared()

_log = logging.getLogger(__name__)


class KVEventPublisher:
    """Publishes what the engine's thread hands it; all methods but `counters` belong to that thread."""

    def __init__(
        self,
        config: KVEventsConfig,
        *,
        max_queued: int = _MAX_QUEUED,
        max_bytes: int = _MAX_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take the endpoints. Raises CannotPublish if one cannot be had.

        max_queued, max_bytes: of batches that wait for the thread; the latter of those that are kept too.
        clock: returns seconds since 1970.
        """
        self._context = zmq.Context()
        self._clock = clock
        self._topic = config.topic.encode()
        self._max_bytes = max_bytes
        self._kept = _Kept(config.buffer_steps, max_bytes)
        self._num_bytes_handed = 0  # to the thread, since the start
        self._num_bytes_taken = 0  # by the thread
        self._replays: dict[bytes, deque[_Replay]] = {}  # by client
        self._whole: _Whole | None = None  # while there are replays
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
        # As they were bound: `tcp://*:0` has a port now.
        self.endpoint = self._public.getsockopt_string(zmq.LAST_ENDPOINT)
        self.replay_endpoint = self._replay.getsockopt_string(zmq.LAST_ENDPOINT) or None

    def _open(self, kind: int, endpoint: str | None, most_queued: int) -> "zmq.Socket[bytes]":
        """Return a socket, bound or connected as vLLM does with such an endpoint."""
        socket = self._context.socket(kind)
        socket.set_hwm(most_queued)
        socket.setsockopt(zmq.LINGER, _LINGER_MS)
        if kind == zmq.ROUTER:
            socket.setsockopt(zmq.ROUTER_MANDATORY, 1)  # it says so where a queue is full, and drops nothing
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
        """Start to publish the changes of a cache whose blocks have `block_size` tokens, once."""
        self._changes, self._block_size = changes, block_size
        self._thread.start()

    def publish(self) -> None:
        """Hand the changes since the last call to the thread, without waiting for it."""
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
        """Return the numbers of batches so far. Any thread may call this."""
        return KVEventCounters(num_batches=self._next_number, num_lost=self._num_lost)

    def close(self) -> None:
        """Publish what is left, and end the thread; what has not been sent within a second is dropped."""
        if self._thread.is_alive():
            self._outbox.setsockopt(zmq.SNDTIMEO, _LINGER_MS)
            try:
                self._outbox.send(b"")
            except zmq.Again:
                _log.error("KV events are not sent fast enough; the last ones are lost")
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
        """Publish the next batch that has been handed over, and return False after the last."""
        batch = self._inbox.recv()
        if batch:
            self._num_bytes_taken += len(batch)
            self._send(batch)
        return bool(batch)

    def _recover(self) -> None:
        """Publish all that is in the cache, since a batch was lost. All others have been published."""
        self._lost_some = False  # before the cache is read: what is lost from now on sets it again
        _log.error("KV events were made faster than sent; the whole cache is published instead")
        self._send_events(self._contents())

    def _contents(self) -> list[Event]:
        """Return events that lead from any state to the blocks in the cache now."""
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
        """Read a subscriber's request for the batches that it has missed. One that is none is ignored."""
        frames = self._replay.recv_multipart()
        if len(frames) != 3 or len(frames[2]) != 8:
            _log.warning("a request for KV events is not understood; it must be a number of 8 bytes")
            return
        client, _, first = frames
        replays = self._replays.setdefault(client, deque())
        if len(replays) == _MAX_REPLAYS:
            _log.warning("a subscriber of KV events asks for more and more, and reads nothing")
            return
        replays.append(_Replay(client, int.from_bytes(first, "big"), time.monotonic()))

    def _send_replays(self) -> None:
        """Send what was asked for, as far as those who asked read it."""
        for client, replays in list(self._replays.items()):
            try:
                while replays:
                    self._go_on(replays[0])
                    replays.popleft()
            except zmq.Again:
                if time.monotonic() - replays[0].moved_at < _REPLAY_PATIENCE_S:
                    continue
                _log.warning("a subscriber of KV events does not read what it has asked for")
            except zmq.ZMQError as error:
                if error.errno != zmq.EHOSTUNREACH:  # it has left
                    raise
            del self._replays[client]
        if not self._replays:
            self._whole = None

    def _go_on(self, replay: "_Replay") -> None:
        """Send the rest of a replay. Raises zmq.Again where there is no room for it now."""
        if replay.next_number < self._kept.oldest:
            self._reply(replay, self._kept.oldest - 1, self._whole_cache())
        for number, batch in self._kept.since(replay.next_number):
            self._reply(replay, number, batch)
        self._replay.send_multipart((replay.client, b"", b"", _LAST, b""), zmq.DONTWAIT)

    def _whole_cache(self) -> bytes:
        """Return a batch with all blocks, one for all replays: of a time after which all batches are kept."""
        if self._whole is None or self._whole.next_number < self._kept.oldest:
            self._whole = _Whole(self._next_number, self._encode(self._contents()))
        return self._whole.batch

    def _reply(self, replay: "_Replay", number: int, batch: bytes) -> None:
        frames = (replay.client, b"", self._topic, _in_bytes(number), batch)
        self._replay.send_multipart(frames, zmq.DONTWAIT)
        replay.next_number, replay.moved_at = number + 1, time.monotonic()


class _Kept:
    """The last batches, by consecutive numbers from 0 on. oldest: the number of the first that is kept."""

    def __init__(self, most: int, max_bytes: int) -> None:
        """Begin without batches.

        most, max_bytes: the most batches and bytes that are kept; the last batch is, however large it is.
        """
        self._most = most
        self._max_bytes = max_bytes
        self._num_bytes = 0
        self._batches = deque[bytes]()
        self.oldest = 0

    def __len__(self) -> int:
        return len(self._batches)

    def append(self, batch: bytes) -> None:
        self._batches.append(batch)
        self._num_bytes += len(batch)
        while len(self) > self._most or (self._num_bytes > self._max_bytes and len(self) > 1):
            self._num_bytes -= len(self._batches.popleft())
            self.oldest += 1

    def since(self, number: int) -> Iterator[tuple[int, bytes]]:
        """Yield the batches from a number on, as far as they are kept, with their numbers."""
        first = max(number, self.oldest)
        yield from enumerate(islice(self._batches, first - self.oldest, None), first)


class _Whole(NamedTuple):
    """A batch with the whole cache. next_number: of the first batch whose changes it may lack."""

    next_number: int
    batch: bytes


class _Replay:
    """A request for batches that were missed.

    next_number: of the next to send. moved_at: when the last was sent, by the monotonic clock.
    """

    def __init__(self, client: bytes, next_number: int, moved_at: float) -> None:
        self.client = client
        self.next_number = next_number
        self.moved_at = moved_at


def _in_bytes(number: int) -> bytes:
    return number.to_bytes(8, "big")
