"""A subscriber knows what the engine's prefix cache holds, whatever it missed and whenever it came."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event as ThreadEvent

import pytest
import zmq

from engine.build import build_core
from engine.config import AdapterSource, EngineConfig, KVEventsConfig
from engine.core.core import EngineCore
from engine.kv_events import publisher as publisher_module
from engine.kv_events.batches import Event, block_hash
from engine.kv_events.publisher import KVEventPublisher
from engine.port.errors import CannotLoadAdapter, CannotPublish
from engine.port.request import SamplingParams, StopConditions
from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.cache_changes import CacheChanges, StoredBlock
from tests.support.clocks.until import wait_until
from tests.support.engine_requests import generation_request
from tests.support.servers.kv_subscriber import KVSubscriber
from tests.support.tiny_models.text import save_tiny_model

BLOCK_SIZE = 4
NUM_KEPT = 4
MAX_BYTES = 1_000_000
NUM_LARGE = 40_000  # tokens of a block
LAST = (1 << 64) - 1


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture
def config(tmp_path: Path) -> KVEventsConfig:
    return KVEventsConfig(
        endpoint=f"ipc://{tmp_path}/events",
        replay_endpoint=f"ipc://{tmp_path}/replay",
        topic="kv@pod@m",
        buffer_steps=NUM_KEPT,
    )


@pytest.fixture
def core(directory: Path, config: KVEventsConfig) -> Iterator[EngineCore]:
    """A core with so few blocks that most requests drive out those of others."""
    shape = EngineConfig(
        model=str(directory), device="cpu", num_kv_blocks=12, block_size=BLOCK_SIZE, kv_events=config
    )
    core = build_core(shape, lambda line: None).core
    yield core
    core.close()


@pytest.fixture
def subscribe(config: KVEventsConfig) -> Iterator[Callable[[], KVSubscriber]]:
    subscribers = []

    def new() -> KVSubscriber:
        assert config.replay_endpoint is not None
        subscribers.append(KVSubscriber(config.endpoint, config.replay_endpoint, topic=config.topic))
        return subscribers[-1]

    yield new
    for one in subscribers:
        one.close()


def run(core: EngineCore, arrival: int, *, salt: str | None = None, num_prompt_tokens: int = 18) -> None:
    request = generation_request(
        request_id=str(arrival),
        token_ids=tuple(range(40, 40 + num_prompt_tokens)),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=6, ignore_eos=True),
        cache_salt=salt,
    )
    core.add(arrival, request)
    while core.has_work:
        core.step()


def cached(core: EngineCore) -> set[int]:
    return {block_hash(key) for key in core.scheduler.pool.cache._blocks}


def knows_all(subscriber: KVSubscriber, core: EngineCore) -> Callable[[], bool]:
    return lambda: {*subscriber.blocks} == cached(core)


def test_the_index_of_a_subscriber_is_the_cache(
    core: EngineCore, subscribe: Callable[[], KVSubscriber], directory: Path
) -> None:
    subscriber = subscribe()
    arrivals = iter(range(1000))
    while not subscriber.num_live:  # until its subscription has arrived
        run(core, next(arrivals))
        run(core, next(arrivals), salt=f"salt {next(arrivals)}")
        subscriber.follow_until(knows_all(subscriber, core))
    for salt in ("a", None, "b", "c"):
        run(core, next(arrivals), salt=salt)
        subscriber.follow_until(knows_all(subscriber, core))
    # Another process with the same model would give the same tokens and salt the same hashes.
    tags = (("model", str(directory)), ("revision", ""), ("salt", "c"))
    tokens = list(range(40, 58))
    hashes = [block_hash(key) for key in BlockKeys(tags, BLOCK_SIZE).of(tokens, 4)]
    assert subscriber.blocks[hashes[0]] == (None, (40, 41, 42, 43), ["c"])
    assert subscriber.blocks[hashes[1]] == (hashes[0], (44, 45, 46, 47), None)


def test_who_misses_batches_asks_for_them_again(
    core: EngineCore, subscribe: Callable[[], KVSubscriber]
) -> None:
    subscriber = subscribe()
    arrival = 0
    while (batch := subscriber.read_live()) is None or batch[0] == subscriber.next_number:
        run(core, arrival := arrival + 1, salt=str(arrival))  # nothing is applied, so there is a gap
    run(core, arrival + 1, salt="last")
    subscriber.follow_until(knows_all(subscriber, core))
    assert subscriber.num_replayed


@pytest.mark.parametrize("num_requests", [1, 9])
def test_who_comes_late_is_given_the_whole_cache(
    core: EngineCore, subscribe: Callable[[], KVSubscriber], num_requests: int
) -> None:
    for arrival in range(num_requests):
        run(core, arrival, salt=f"{arrival // 2}")
    late = subscribe()
    deadline = 300
    while {*late.blocks} != cached(core):  # batches may still be on their way to the thread
        assert (deadline := deadline - 1)
        late.next_number = 0
        late.blocks.clear()
        late.catch_up()
    assert late.num_replayed


def test_batches_that_queue_too_long_are_replaced_by_the_whole_cache(
    config: KVEventsConfig, subscribe: Callable[[], KVSubscriber], monkeypatch: pytest.MonkeyPatch
) -> None:
    may_send, send = ThreadEvent(), KVEventPublisher._send

    def wait_and_send(publisher: KVEventPublisher, batch: bytes) -> None:
        assert may_send.wait(30)
        send(publisher, batch)

    monkeypatch.setattr(KVEventPublisher, "_send", wait_and_send)
    publisher, changes = KVEventPublisher(config, max_queued=1), CacheChanges()
    publisher.start(changes, 1)
    try:
        for number in range(8):
            changes.store(StoredBlock(bytes([*bytes(7), number]), None, (number,)))
            if number > 5:
                changes.remove(bytes([*bytes(7), number - 1]))
            publisher.publish()  # never waits
        assert publisher.counters().num_lost
        may_send.set()
        subscriber = subscribe()
        present = {0, 1, 2, 3, 4, 7}
        for _ in range(300):
            subscriber.next_number = 0
            subscriber.catch_up()
            if {*subscriber.blocks} == present and publisher.counters().num_batches > 3:
                break
        assert {*subscriber.blocks} == present
        assert {*subscriber.blocks} == {block_hash(block.key) for block in changes.present()}
    finally:
        may_send.set()
        publisher.close()


@pytest.fixture
def changes() -> CacheChanges:
    return CacheChanges()


@pytest.fixture
def publisher(
    config: KVEventsConfig, changes: CacheChanges, monkeypatch: pytest.MonkeyPatch
) -> Iterator[KVEventPublisher]:
    """A publisher with short queues of replies."""
    monkeypatch.setattr(publisher_module, "_MAX_UNREAD_REPLIES", 2)
    publisher = KVEventPublisher(config, max_bytes=MAX_BYTES)
    publisher.start(changes, NUM_LARGE)
    yield publisher
    publisher.close()


def large_block(number: int) -> StoredBlock:
    return StoredBlock(number.to_bytes(8, "big"), None, (2**20,) * NUM_LARGE)


def publish_large(publisher: KVEventPublisher, changes: CacheChanges, number: int) -> int:
    """Publish a batch of some 200 kB, and return the hash of its block."""
    block = large_block(number)
    changes.store(block)
    num_lost = publisher.counters().num_lost
    num_before = publisher.counters().num_batches
    publisher.publish()
    wait_until(
        lambda: publisher.counters().num_batches > num_before or publisher.counters().num_lost > num_lost
    )
    return block_hash(block.key)


def test_replays_of_one_who_reads_late_are_whole(
    publisher: KVEventPublisher,
    changes: CacheChanges,
    config: KVEventsConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each ends by its last frame: a queue that is full delays it, and drops nothing."""
    contents, num_read = KVEventPublisher._contents, 0

    def counted(publisher: KVEventPublisher) -> list[Event]:
        nonlocal num_read
        num_read += 1
        return contents(publisher)

    monkeypatch.setattr(KVEventPublisher, "_contents", counted)
    for number in range(NUM_KEPT + 2):
        publish_large(publisher, changes, number)
    context = zmq.Context()
    try:
        late = context.socket(zmq.DEALER)
        late.set_hwm(1)
        assert config.replay_endpoint is not None
        late.connect(config.replay_endpoint)
        for _ in range(5):
            late.send_multipart((b"", bytes(8)))
        gone = context.socket(zmq.DEALER)
        gone.connect(config.replay_endpoint)
        gone.send_multipart((b"", bytes(8)))
        gone.close(linger=0)
        wait_until(lambda: num_read)
        publish_large(publisher, changes, number + 1)  # others are not held up meanwhile
        for _ in range(5):
            numbers: list[int] = []
            while not numbers or numbers[-1] != LAST:
                assert late.poll(30_000), "the replay does not end"
                numbers.append(int.from_bytes(late.recv_multipart()[-2], "big"))
            first, *others = numbers[:-1]
            assert others == [*range(first + 1, first + 1 + len(others))]
            assert len(others) >= NUM_KEPT
        assert num_read <= 3, "the whole cache is encoded again for each try"
    finally:
        context.destroy(linger=0)


def test_batches_are_kept_and_queued_within_a_bound_of_bytes(
    tmp_path: Path, changes: CacheChanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = KVEventsConfig(endpoint=f"ipc://{tmp_path}/events", replay_endpoint=f"ipc://{tmp_path}/replay")
    publisher = KVEventPublisher(config, max_bytes=MAX_BYTES)
    may_send, send = ThreadEvent(), KVEventPublisher._send

    def wait_and_send(publisher: KVEventPublisher, batch: bytes) -> None:
        assert may_send.wait(30)
        send(publisher, batch)

    may_send.set()
    monkeypatch.setattr(KVEventPublisher, "_send", wait_and_send)
    publisher.start(changes, NUM_LARGE)
    subscriber = KVSubscriber(config.endpoint, str(config.replay_endpoint))
    try:
        expected = {publish_large(publisher, changes, number) for number in range(20)}
        assert not publisher.counters().num_lost
        assert sum(map(len, publisher._kept._batches)) <= MAX_BYTES
        subscriber.catch_up()
        assert {*subscriber.blocks} == expected
        may_send.clear()
        for number in range(20, 40):
            changes.store(large_block(number))
            publisher.publish()
        assert publisher._num_bytes_handed - publisher._num_bytes_taken <= MAX_BYTES
        assert publisher.counters().num_lost > 10
        may_send.set()
        ends_at = time.monotonic() + 30
        while len(subscriber.blocks) < 40:
            assert time.monotonic() < ends_at
            subscriber.next_number = 0
            subscriber.catch_up()
    finally:
        may_send.set()
        subscriber.close()
        publisher.close()


def test_the_last_batch_clears_what_subscribers_know(
    core: EngineCore, subscribe: Callable[[], KVSubscriber]
) -> None:
    subscriber = subscribe()
    arrival = 0
    while not subscriber.num_live:
        run(core, arrival := arrival + 1, salt=str(arrival))
        subscriber.follow_until(knows_all(subscriber, core))
    assert subscriber.blocks
    core.close()
    subscriber.follow_until(lambda: not subscriber.blocks)


def test_an_address_that_is_taken_is_named(directory: Path, config: KVEventsConfig) -> None:
    publisher = KVEventPublisher(KVEventsConfig(endpoint="tcp://*:0"))
    try:
        port = publisher.endpoint.rpartition(":")[2]
        taken = EngineConfig(model=str(directory), kv_events=KVEventsConfig(endpoint=f"tcp://*:{port}"))
        with pytest.raises(CannotPublish, match=rf"at tcp://\*:{port}: Address already in use"):
            build_core(taken, lambda line: None)
    finally:
        publisher.close()


def test_a_model_that_cannot_be_loaded_leaves_the_address_free(tmp_path: Path) -> None:
    endpoint = KVEventPublisher(KVEventsConfig(endpoint="tcp://*:0"))
    endpoint.close()
    address = endpoint.endpoint.replace("0.0.0.0", "*")
    for _ in range(2):
        with pytest.raises(Exception, match="none"):
            build_core(
                EngineConfig(model=str(tmp_path / "none"), kv_events=KVEventsConfig(endpoint=address)),
                lambda line: None,
            )
    KVEventPublisher(KVEventsConfig(endpoint=address)).close()


def test_adapters_that_cannot_be_opened_leave_the_address_free(directory: Path) -> None:
    endpoint = KVEventPublisher(KVEventsConfig(endpoint="tcp://*:0"))
    endpoint.close()
    address = endpoint.endpoint.replace("0.0.0.0", "*")
    config = EngineConfig(
        model=str(directory),
        device="cpu",
        kv_events=KVEventsConfig(endpoint=address),
        adapters=(AdapterSource("one", "./none"),),
    )
    for _ in range(2):
        with pytest.raises(CannotLoadAdapter, match="no such directory"):
            build_core(config, lambda line: None)
    KVEventPublisher(KVEventsConfig(endpoint=address)).close()
