import asyncio
import base64
import struct
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Literal

import numpy as np
import pytest
from msgspec.structs import replace

from engine.port.errors import InvalidRequest, PromptTooLong
from engine.port.events import Embedding
from engine.port.request import EmbeddingRequest, Pooling
from handlers.access.visits.timing import Timing
from handlers.active_requests.active_request import ActiveRequests
from handlers.concurrency.limit import ConcurrencyLimit, Overloaded
from handlers.concurrency.workers import Workers
from handlers.operations.embeddings import EmbeddedTexts, Embedder, base64_of, choose_pooling
from handlers.settings.settings import Settings
from tests.support.clocks.until import until
from tests.support.scripted.engine import HIDDEN_SIZE, ScriptedEngine, embedding, says
from verbatim_kit.errors import Refused, Violation


@pytest.fixture
def workers() -> Iterator[Workers]:
    workers = Workers(1)
    yield workers
    workers.shutdown()


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(says("never"), max_total_tokens=2_000)


class Embeddings:
    """A server that embeds; as an observer it notes what it hears."""

    def __init__(self, engine: ScriptedEngine, workers: Workers, **settings: int) -> None:
        self.limit = ConcurrencyLimit(settings.get("max_concurrent_requests", 128))
        self.num_validated: list[tuple[int, int]] = []
        self.answered: list[Timing] = []
        self._active_requests = ActiveRequests(engine, self.limit)
        self._active_requests.observe(self)
        self._embedder = Embedder(engine, workers, Settings(**settings))  # type: ignore[arg-type]  # by its names

    async def embed(
        self, *texts: str | Sequence[int], dimensions: int | None = None, adapter: str | None = None
    ) -> EmbeddedTexts:
        with self._active_requests.open(perf_counter(), lambda error: error) as active:
            return await self._embedder.embed(
                active, texts, field="input", dimensions=dimensions, adapter=adapter
            )

    def received(self) -> None:
        pass

    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        self.num_validated.append((num_prompt_tokens, max_new_tokens))

    def failed(self, error: BaseException, total_s: float) -> None:
        pass

    def succeeded(self, timing: Timing) -> None:
        self.answered.append(timing)


async def test_texts_and_token_ids_give_vectors_in_their_order_and_the_usage_of_all(
    engine: ScriptedEngine, workers: Workers
) -> None:
    server = Embeddings(engine, workers)
    told = await server.embed("a b", [5, 6, 7], "c" * 2000, adapter="poet")
    encode = engine.tokenizer.encode
    prompts = [tuple(encode("a b")), (5, 6, 7), tuple(encode("c" * 2000))]
    by_prompt = {request.prompt.token_ids: embedding(request).vector for request in engine.texts}
    assert [vector.tolist() for vector in told.vectors] == [by_prompt[prompt].tolist() for prompt in prompts]
    assert told.num_prompt_tokens == sum(map(len, prompts))
    assert told.num_cached_tokens == 3
    assert {(request.normalize, request.adapter) for request in engine.texts} == {(True, "poet")}
    assert len({request.request_id for request in engine.texts}) == 3
    assert sorted(server.num_validated) == sorted((len(prompt), 0) for prompt in prompts)
    (timing,) = server.answered
    assert (timing.num_prompt_tokens, timing.num_generated_tokens) == (told.num_prompt_tokens, 0)
    assert timing.queue_s == 0.25


async def test_a_shortened_vector_keeps_its_first_entries_at_unit_length(
    engine: ScriptedEngine, workers: Workers
) -> None:
    server = Embeddings(engine, workers)
    (whole,) = (await server.embed([5], dimensions=HIDDEN_SIZE)).vectors
    (short,) = (await server.embed([5], dimensions=2)).vectors
    assert short.tolist() == pytest.approx((whole[:2] / np.linalg.norm(whole[:2])).tolist())


async def test_more_dimensions_than_the_model_has_are_refused_before_anything_runs(
    engine: ScriptedEngine, workers: Workers
) -> None:
    with pytest.raises(Refused, match="have 4") as caught:
        await Embeddings(engine, workers).embed([5], dimensions=HIDDEN_SIZE + 1)
    assert (caught.value.field, caught.value.violation) == ("dimensions", Violation.TOO_LARGE)
    assert not engine.texts


async def test_a_list_longer_than_the_server_runs_at_once_takes_its_turns(workers: Workers) -> None:
    num_running = []

    def watch(request: EmbeddingRequest) -> Embedding:
        num_running.append((watched.num_running, server.limit.in_use))
        return embedding(request)

    watched = ScriptedEngine(says("never"), embeds=watch)
    server = Embeddings(watched, workers, max_concurrent_requests=3, max_request_share=1)
    await server.embed(*([n] for n in range(20)))
    assert (max(num_running), len(num_running)) == ((3, 3), 20)
    assert server.limit.in_use == 0


async def test_texts_are_refused_as_overload_where_no_place_is_free(
    engine: ScriptedEngine, workers: Workers
) -> None:
    server = Embeddings(engine, workers, max_concurrent_requests=3, max_request_share=1)
    with server.limit.hold(2, "other"), pytest.raises(Overloaded):
        await server.embed([1], [2])
    assert not engine.texts


async def test_the_first_text_that_fails_ends_the_others(workers: Workers) -> None:
    def fail(request: EmbeddingRequest) -> Embedding:
        if request.prompt.token_ids == (2,):
            raise PromptTooLong(300, 0, 200)
        return embedding(request)

    engine = ScriptedEngine(says("never"), embeds=fail)
    server = Embeddings(engine, workers, max_concurrent_requests=2, max_request_share=1)
    with pytest.raises(PromptTooLong):
        await server.embed(*([n] for n in range(20)))
    assert engine.num_running == server.limit.in_use == 0
    assert len(engine.texts) < 20


async def test_who_stops_waiting_ends_all_texts(workers: Workers) -> None:
    engine = ScriptedEngine(says("never"), gate=asyncio.Event())
    server = Embeddings(engine, workers)
    waiting = asyncio.create_task(server.embed("a", "b"))
    await until(lambda: engine.num_running >= 2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert engine.num_running == server.limit.in_use == 0


async def test_a_text_that_is_no_text_is_refused(engine: ScriptedEngine, workers: Workers) -> None:
    with pytest.raises(InvalidRequest):
        await Embeddings(engine, workers).embed("\ud800")


@pytest.mark.parametrize(
    ("own", "setting", "chosen"),
    [
        (None, "auto", Pooling.MEAN),
        (Pooling.LAST, "auto", Pooling.LAST),
        (Pooling.LAST, "mean", Pooling.MEAN),
        (None, "last", Pooling.LAST),
    ],
)
def test_the_setting_comes_before_what_the_model_says_of_itself(
    engine: ScriptedEngine,
    own: Pooling | None,
    setting: Literal["auto", "mean", "last"],
    chosen: Pooling,
) -> None:
    assert choose_pooling(setting, replace(engine.model_info, pooling=own)) is chosen


async def test_the_servers_pooling_is_asked_of_the_engine(engine: ScriptedEngine, workers: Workers) -> None:
    engine.model_info = replace(engine.model_info, pooling=Pooling.LAST)
    await Embeddings(engine, workers).embed("a")
    assert [request.pooling for request in engine.texts] == [Pooling.LAST]


def test_base64_holds_little_endian_float32() -> None:
    vector = np.array([0.1, -2.5, 1e-30], dtype=np.float32)
    for order in ("<f4", ">f4"):
        entries = struct.unpack("<3f", base64.b64decode(base64_of(vector.astype(order))))
        assert entries == tuple(vector.tolist())
