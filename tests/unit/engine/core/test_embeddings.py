"""The engine's promises to requests for a text's embedding."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from random import Random

import numpy as np
import pytest
import pytest_asyncio
import torch
from msgspec.structs import replace

from engine.async_engine import AsyncEngine
from engine.attention.batch import Batch
from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.port.errors import (
    EngineStopped,
    GenerationFailed,
    InvalidRequest,
    InvalidToken,
    NotFinite,
    PromptTooLong,
    RequestAborted,
    UnknownAdapter,
)
from engine.port.events import Embedding, TokenEvent
from engine.port.request import EmbeddingRequest, Pooling, Prompt
from tests.support.clocks.until import until
from tests.support.engine_requests import embedding_request
from tests.support.selection.effort import trials
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.text import save_tiny_model
from tests.unit.engine import test_async_engine as generation
from tests.unit.engine.core.test_core import assert_all_free, new_core
from tests.unit.engine.spoiled_runner import arrivals_of, spoiled_core

MAX_TOTAL_TOKENS = 512


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture
def core(directory: Path) -> EngineCore:
    return new_core(directory)


@pytest_asyncio.fixture
async def engine(directory: Path) -> AsyncIterator[AsyncEngine]:
    engine = await AsyncEngine.start(tiny_config(directory, max_batch_tokens=32))
    yield engine
    await engine.stop()


def text(name: str = "a", num_tokens: int = 40, pooling: Pooling = Pooling.MEAN) -> EmbeddingRequest:
    return embedding_request(
        request_id=name, token_ids=tuple(40 + n % 50 for n in range(num_tokens)), pooling=pooling
    )


def run_all(core: EngineCore) -> list[Output]:
    outputs = []
    while core.has_work:
        outputs += core.step()
    return outputs


def embedded(core: EngineCore, request: EmbeddingRequest) -> Embedding:
    core.embed(10_000, request)
    ((_, told),) = run_all(core)
    assert isinstance(told, Embedding)
    return told


def test_the_last_tokens_vector_starts_from_cached_blocks_and_the_mean_does_not(core: EngineCore) -> None:
    cold = embedded(core, text(pooling=Pooling.LAST))
    warm = embedded(core, text(pooling=Pooling.LAST))
    mean = embedded(core, text())
    assert [one.num_cached_tokens for one in (cold, warm, mean)] == [0, 32, 0]
    np.testing.assert_allclose(warm.vector, cold.vector, atol=1e-5)
    other = embedded(core, replace(text(pooling=Pooling.LAST), cache_salt="other"))
    assert other.num_cached_tokens == 0
    counters = core.stats().counters
    assert (counters.num_cache_queried_tokens, counters.num_cache_hit_tokens) == (3 * 40, 32)
    assert (counters.num_requests, counters.num_embedded, counters.num_generated_tokens) == (4, 4, 0)


def test_a_generation_starts_from_what_an_embedding_computed(core: EngineCore) -> None:
    embedded(core, text())
    request = replace(generation.new_request(max_tokens=1), prompt=text().prompt)
    core.add(1, request)
    ((_, event),) = run_all(core)
    assert isinstance(event, TokenEvent)
    assert event.num_cached_tokens == 32


def test_a_vector_computed_in_part_begins_anew_after_a_preemption(directory: Path) -> None:
    core = new_core(directory, num_kv_blocks=8, block_size=8, max_batch_tokens=11)
    expected = embedded(core, text())
    core.add(0, generation.new_request("g", 15, max_tokens=30))
    core.step()
    core.embed(1, text())
    core.step()
    (sequence,) = [one for one in core.scheduler.running if one.arrival == 1]
    assert 0 < sequence.num_computed < 40
    core.scheduler.preempt(sequence)
    (told,) = [told for arrival, told in run_all(core) if arrival == 1]
    assert isinstance(told, Embedding)
    np.testing.assert_allclose(told.vector, expected.vector, atol=1e-5)


def test_an_aborted_embedding_leaves_nothing_behind_in_whatever_state(directory: Path) -> None:
    core = new_core(directory, max_batch_tokens=16)
    for num_steps in range(3):
        core.embed(num_steps, text())
        for _ in range(num_steps):
            assert core.step() == []
        core.abort(num_steps)
        assert not core.has_work
        assert_all_free(core)
    assert core.stats().counters.num_aborted == 3


def test_a_failing_step_fails_its_embeddings_and_no_others(directory: Path) -> None:
    core, runner = spoiled_core(directory)

    def fail_on_first(batch: Batch) -> None:
        if 0 in arrivals_of(batch):
            raise RuntimeError("out of memory")

    runner.before = fail_on_first
    core.embed(0, text())
    ((arrival, error),) = core.step()
    assert (arrival, type(error)) == (0, GenerationFailed)
    assert_all_free(core)
    core.embed(1, text())
    ((arrival, told),) = run_all(core)
    assert (arrival, type(told)) == (1, Embedding)


def test_hidden_states_that_are_not_finite_fail_their_request_alone(directory: Path) -> None:
    core, runner = spoiled_core(directory)

    def poison(batch: Batch, logits: torch.Tensor) -> None:
        for entry, span in zip(batch.entries, batch.spans, strict=True):
            if entry.sequence.arrival == 0:
                runner.hidden_states[span.row] = torch.inf

    runner.after = poison
    core.embed(0, text())
    core.embed(1, text("b", 7))
    core.add(2, generation.new_request("g", 5, max_tokens=1))
    kinds = {arrival: type(told) for arrival, told in run_all(core)}
    assert kinds == {0: NotFinite, 1: Embedding, 2: TokenEvent}
    assert_all_free(core)
    assert embedded(core, text(pooling=Pooling.LAST)).num_cached_tokens == 0


def test_of_random_embeddings_and_generations_with_aborts_each_ends_once_and_no_block_is_lost(
    directory: Path,
) -> None:
    core = new_core(directory, num_kv_blocks=40, block_size=4, max_batch_tokens=24, max_num_sequences=12)
    random = Random(0)
    num_requests = trials(120, whole=400)
    arrivals = iter(range(num_requests))
    alive: set[int] = set()
    num_answered = num_aborted = 0
    while (arrival := next(arrivals, None)) is not None or core.has_work:
        if arrival is not None:
            alive.add(arrival)
            prompt = tuple(random.choices((40, 41), k=random.randint(1, 60)))
            if random.random() < 0.7:
                pooling = random.choice(list(Pooling))
                priority = random.choice([0, 1])
                core.embed(arrival, replace(text(pooling=pooling), prompt=Prompt(prompt), priority=priority))
            else:
                core.add(arrival, replace(generation.new_request(max_tokens=20), prompt=Prompt(prompt)))
        if alive and random.random() < 0.15:
            aborted = random.choice(sorted(alive))
            core.abort(aborted)
            alive.remove(aborted)
            num_aborted += 1
        for number, told in core.step() if random.random() < 0.7 else []:
            assert number in alive, "told after the end"
            if isinstance(told, Embedding) or (isinstance(told, TokenEvent) and told.finish):
                alive.remove(number)
                num_answered += 1
    assert not alive
    assert num_answered + num_aborted == num_requests
    assert num_aborted > num_requests // 8
    assert core.stats().counters.num_preemptions > 0
    assert_all_free(core)


async def test_many_texts_at_once_each_get_their_own_vector(engine: AsyncEngine) -> None:
    requests = [text(str(n), n + 1, list(Pooling)[n % 2]) for n in range(50)]
    alone = [await engine.embed(request) for request in requests]
    running = asyncio.create_task(generation.collect(engine, generation.new_request("g", max_tokens=40)))
    together = await asyncio.gather(*(engine.embed(request) for request in requests))
    for request, one, other in zip(requests, alone, together, strict=True):
        assert other.request_id == request.request_id
        assert other.num_prompt_tokens == len(request.prompt.token_ids)
        assert other.vector.shape == (engine.model_info.hidden_size,)
        assert other.queue_s >= 0
        np.testing.assert_allclose(one.vector, other.vector, atol=1e-5)
    assert len(await running) == 40
    await generation.assert_becomes_idle(engine)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (text(num_tokens=0), InvalidRequest),
        (text(num_tokens=MAX_TOTAL_TOKENS + 1), PromptTooLong),
        (replace(text(), prompt=Prompt((5, -1))), InvalidToken),
        (replace(text(), prompt=Prompt((5, 10**6))), InvalidToken),
        (replace(text(), adapter="poet"), UnknownAdapter),
    ],
)
async def test_what_the_model_cannot_embed_is_refused(
    engine: AsyncEngine, request_: EmbeddingRequest, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await engine.embed(request_)
    await generation.assert_becomes_idle(engine)
    await engine.embed(text())


async def test_a_text_may_fill_the_context(engine: AsyncEngine) -> None:
    told = await engine.embed(text(num_tokens=MAX_TOTAL_TOKENS))
    assert told.num_prompt_tokens == MAX_TOTAL_TOKENS


async def computes(engine: AsyncEngine, num_tokens: int) -> None:
    """Return once it has computed so many more tokens."""
    least = engine.stats().counters.num_computed_tokens + num_tokens
    await until(lambda: engine.stats().counters.num_computed_tokens >= least)


async def test_cancelling_who_waits_for_a_vector_aborts(engine: AsyncEngine) -> None:
    for num_tokens in (0, 1, 400, 1500):  # of 3200
        waiting = [asyncio.create_task(engine.embed(text(str(n), 400))) for n in range(8)]
        await computes(engine, num_tokens)
        for task in waiting:
            task.cancel()
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError | Embedding) for result in results)
        assert num_tokens or not any(isinstance(result, Embedding) for result in results)
        await generation.assert_becomes_idle(engine)
    await engine.embed(text("0"))


async def test_an_embedding_and_a_generation_cannot_share_an_id_and_abort_ends_either(
    engine: AsyncEngine,
) -> None:
    async with aclosing(engine.submit(generation.new_request("a"))) as events:
        await anext(events)
        with pytest.raises(InvalidRequest):
            await engine.embed(text("a"))
    waiting = asyncio.create_task(engine.embed(text("b", 500)))
    await asyncio.sleep(0)
    await engine.abort("b")
    with pytest.raises(RequestAborted):
        await waiting
    await generation.assert_becomes_idle(engine)


async def test_a_draining_engine_finishes_its_embeddings_and_takes_no_new_ones(engine: AsyncEngine) -> None:
    waiting = asyncio.create_task(engine.embed(text("a", 400)))
    await asyncio.sleep(0)
    draining = asyncio.create_task(engine.drain(60.0))
    await asyncio.sleep(0)
    with pytest.raises(EngineStopped):
        await engine.embed(text("late"))
    await draining
    assert (await waiting).num_prompt_tokens == 400
