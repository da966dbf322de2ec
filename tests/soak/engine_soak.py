"""Thousands of requests of every kind, many of which their clients leave: none hangs, and nothing leaks.

`test_engine_soak` runs this module in a process of its own, whose memory, threads and open files are this
engine's alone. `VERBATIM_SOAK_REQUESTS` says how many requests; `make soak` runs 10,000.
"""

import asyncio
import gc
import os
from collections import Counter
from contextlib import aclosing

import pytest
import torch
from transformers import AutoModelForCausalLM

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.job import Job, SequenceState
from engine.core.stages.embedding_job import EmbeddingJob
from engine.demo_model import DEMO_MODEL
from engine.port.errors import GenerationFailed, InvalidRequest, RequestAborted
from engine.port.events import TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.scheduling.sequence import Sequence
from tests.soak.ledger import Ledger
from tests.soak.usage import Usage, usage
from tests.soak.workload import Ending, Errand, Workload
from tests.support.clocks.until import until

NUM_REQUESTS = int(os.environ.get("VERBATIM_SOAK_REQUESTS", "300"))
NUM_CLIENTS = 40
# The first fifth of the requests warms up: torch's buffers, compiled grammars, the pages of the cache.
NUM_ROUNDS = 5
# What the allocator keeps in fragments. A request that left its tokens, its events and its noise behind would
# cost some 20 KB: 160 MB in 8,000 requests.
MAX_GROWTH_BYTES = 32 * 2**20
MAX_CHECKED = 300  # sequences whose log-probabilities are computed again by transformers
TOLERANCE = 1e-3

pytestmark = pytest.mark.timeout(7200)


async def test_whatever_its_client_does_every_request_ends_once_and_leaves_nothing_behind() -> None:
    config = EngineConfig(
        model=str(DEMO_MODEL),
        device="cpu",
        dtype="float32",
        max_total_tokens=192,
        num_kv_blocks=40,
        block_size=8,
        max_batch_tokens=96,
        max_num_sequences=24,
        num_threads=1,
    )
    engine = await AsyncEngine.start(config)
    clients = Clients(engine)
    ledger = Ledger(core_of(engine))
    usages: list[Usage] = []
    for _ in range(NUM_ROUNDS):
        await clients.run(NUM_REQUESTS // NUM_ROUNDS)
        await becomes_idle(engine)
        usages.append(settled_usage())
    ledger.assert_closed()
    assert_nothing_left(engine)
    assert_no_growth(usages)
    counters = engine.stats().counters
    print(clients.outcomes, f"{counters.num_preemptions} preemptions", *usages, sep="\n")
    assert clients.outcomes.total() == NUM_REQUESTS // NUM_ROUNDS * NUM_ROUNDS
    assert counters.num_preemptions > 0
    assert counters.num_cache_hit_tokens > 0
    assert (ledger.num_ended["failed"], ledger.num_ended["aborted"]) == (
        counters.num_failed,
        counters.num_aborted,
    )
    clients.check_logprobs()
    await engine.stop()


class Clients:
    """Run errands, a few at a time. outcomes: how they ended. read: what was read to its end and asked for
    log-probabilities."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.outcomes: Counter[str] = Counter()
        self.read: list[tuple[GenerationRequest, list[TokenEvent]]] = []
        self._engine = engine
        self._workload = Workload(engine, seed=1)
        self._num_sent = 0

    async def run(self, num_requests: int) -> None:
        places = asyncio.Semaphore(NUM_CLIENTS)

        async def send(errand: Errand) -> None:
            async with places:
                self.outcomes[await self._send(errand)] += 1

        errands = [self._workload.errand(self._num_sent + number) for number in range(num_requests)]
        self._num_sent += num_requests
        await asyncio.gather(*map(send, errands))

    async def _send(self, errand: Errand) -> str:
        reading = asyncio.create_task(self._read(errand))
        if errand.ending is Ending.CANCEL:
            await asyncio.sleep(errand.delay_s)
            reading.cancel()
        if errand.ending is Ending.ABORT:
            await asyncio.sleep(errand.delay_s)
            await self._engine.abort(errand.request.request_id)
        try:
            return await reading
        except asyncio.CancelledError:
            assert errand.ending is Ending.CANCEL
            return "cancelled"
        except RequestAborted:
            assert errand.ending is Ending.ABORT
            return "aborted"

    async def _read(self, errand: Errand) -> str:
        if isinstance(errand.request, EmbeddingRequest):
            return await self._embed(errand.request)
        events = []
        try:
            async with aclosing(self._engine.submit(errand.request)) as stream:
                async for event in stream:
                    events.append(event)
                    if errand.ending is Ending.CLOSE and len(events) > errand.patience:
                        return "closed"
        except (GenerationFailed, InvalidRequest) as error:
            return type(error).__name__
        self._check(errand.request, events)
        return "read"

    async def _embed(self, request: EmbeddingRequest) -> str:
        vector = (await self._engine.embed(request)).vector
        assert float((vector**2).sum()) == pytest.approx(1, abs=TOLERANCE)
        return "embedded"

    def _check(self, request: GenerationRequest, events: list[TokenEvent]) -> None:
        """Each sequence has all its tokens in order, and one end, the last."""
        for index in range(request.num_sequences):
            own = [event for event in events if event.index == index]
            assert [event.position for event in own] == list(range(len(own)))
            assert [event.finish is not None for event in own] == [False] * (len(own) - 1) + [True]
            assert len(own) <= request.stopping.max_tokens
        if request.sampling.num_logprobs is not None and len(self.read) < MAX_CHECKED:
            self.read.append((request, events))

    def check_logprobs(self) -> None:
        """Whoever ran beside it, a request saw its own tokens alone: else its log-probabilities differ."""
        model = AutoModelForCausalLM.from_pretrained(DEMO_MODEL, dtype=torch.float32)
        assert self.read
        for request, events in self.read:
            for index in range(request.num_sequences):
                own = [event for event in events if event.index == index]
                ids = [*request.prompt.token_ids, *(event.token_id for event in own)]
                with torch.inference_mode():
                    logprobs = model(torch.tensor([ids])).logits[0].log_softmax(dim=-1)
                rows = logprobs[len(request.prompt.token_ids) - 1 : -1]
                expected = [float(row[event.token_id]) for row, event in zip(rows, own, strict=True)]
                assert [event.logprob for event in own] == pytest.approx(expected, abs=TOLERANCE)


async def becomes_idle(engine: AsyncEngine) -> None:
    """Until the aborts of those that left have been read."""
    await until(
        lambda: not engine._core.has_work and engine.stats().num_free_blocks == engine.stats().num_blocks
    )


def core_of(engine: AsyncEngine) -> EngineCore:
    assert isinstance(engine._core, EngineCore)
    return engine._core


def settled_usage() -> Usage:
    gc.collect()
    return usage()


def assert_nothing_left(engine: AsyncEngine) -> None:
    stats, pool = engine.stats(), core_of(engine).scheduler.pool
    assert (stats.num_running, stats.num_waiting, stats.num_free_blocks) == (0, 0, stats.num_blocks)
    assert sorted([*pool._free, *pool.cache._idle]) == list(range(stats.num_blocks))
    assert not len(engine._registry)
    gc.collect()
    left = [
        thing for thing in gc.get_objects() if type(thing) in (Job, EmbeddingJob, SequenceState, Sequence)
    ]
    assert not left, f"{len(left)} of them are still referred to"


def assert_no_growth(usages: list[Usage]) -> None:
    warm, last = usages[0], usages[-1]
    assert last.num_threads <= warm.num_threads
    assert last.num_files <= warm.num_files
    assert last.resident_bytes - warm.resident_bytes < MAX_GROWTH_BYTES
