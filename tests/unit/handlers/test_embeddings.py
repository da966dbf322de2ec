import asyncio
import base64
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace

from engine.errors import InvalidRequest, PromptTooLong
from engine.events import Embedding
from engine.request import EmbeddingRequest, Pooling
from handlers.embeddings import Embedder, base64_of, choose_pooling
from handlers.refused import Refused
from handlers.violation import Violation
from handlers.workers import Workers
from tests.scripted_engine import HIDDEN_SIZE, ScriptedEngine, embedding, says


@pytest.fixture
def workers() -> Iterator[Workers]:
    workers = Workers(1)
    yield workers
    workers.shutdown()


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine(says("never"))


async def test_texts_and_token_ids_give_vectors_in_their_order_and_the_usage_of_all(
    engine: ScriptedEngine, workers: Workers
) -> None:
    told = await Embedder(engine, workers, "auto").embed(["a b", [5, 6, 7], "c" * 2000], num_parallel=3)
    encode = engine.tokenizer.encode
    prompts = [tuple(encode("a b")), (5, 6, 7), tuple(encode("c" * 2000))]
    by_prompt = {request.prompt_token_ids: embedding(request).vector for request in engine.texts}
    assert [vector.tolist() for vector in told.vectors] == [by_prompt[prompt].tolist() for prompt in prompts]
    assert told.num_prompt_tokens == sum(map(len, prompts))
    assert told.num_cached_tokens == 3
    assert all(request.normalize for request in engine.texts)
    assert len({request.request_id for request in engine.texts}) == 3


async def test_a_shortened_vector_keeps_its_first_entries_at_unit_length(
    engine: ScriptedEngine, workers: Workers
) -> None:
    embedder = Embedder(engine, workers, "auto")
    (whole,) = (await embedder.embed([[5]], num_parallel=1, dimensions=HIDDEN_SIZE)).vectors
    (short,) = (await embedder.embed([[5]], num_parallel=1, dimensions=2)).vectors
    assert short.tolist() == pytest.approx((whole[:2] / np.linalg.norm(whole[:2])).tolist())


async def test_more_dimensions_than_the_model_has_are_refused_before_anything_runs(
    engine: ScriptedEngine, workers: Workers
) -> None:
    with pytest.raises(Refused, match="have 4") as caught:
        await Embedder(engine, workers, "auto").embed([[5]], num_parallel=1, dimensions=HIDDEN_SIZE + 1)
    assert (caught.value.field, caught.value.violation) == ("dimensions", Violation.TOO_LARGE)
    assert not engine.texts


async def test_no_more_texts_are_in_the_engine_at_once_than_allowed(workers: Workers) -> None:
    num_running = []

    def watch(request: EmbeddingRequest) -> Embedding:
        num_running.append(watched.num_running)
        return embedding(request)

    watched = ScriptedEngine(says("never"), embeds=watch)
    await Embedder(watched, workers, "auto").embed([[n] for n in range(20)], num_parallel=3)
    assert (max(num_running), len(num_running)) == (3, 20)


async def test_the_first_text_that_fails_ends_the_others(workers: Workers) -> None:
    def fail(request: EmbeddingRequest) -> Embedding:
        if request.prompt_token_ids == (2,):
            raise PromptTooLong(300, 0, 200)
        return embedding(request)

    engine = ScriptedEngine(says("never"), embeds=fail)
    with pytest.raises(PromptTooLong):
        await Embedder(engine, workers, "auto").embed([[n] for n in range(20)], num_parallel=2)
    assert engine.num_running == 0
    assert len(engine.texts) < 20


async def test_who_stops_waiting_ends_all_texts(workers: Workers) -> None:
    engine = ScriptedEngine(says("never"), gate=asyncio.Event())
    waiting = asyncio.create_task(Embedder(engine, workers, "auto").embed(["a", "b"], num_parallel=2))
    while engine.num_running < 2:
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert engine.num_running == 0


async def test_a_text_that_is_no_text_is_refused(engine: ScriptedEngine, workers: Workers) -> None:
    with pytest.raises(InvalidRequest):
        await Embedder(engine, workers, "auto").embed(["\ud800"], num_parallel=1)


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
    engine: ScriptedEngine, own: Pooling | None, setting: str, chosen: Pooling
) -> None:
    assert choose_pooling(setting, replace(engine.model_info, pooling=own)) is chosen  # type: ignore[arg-type]  # literals


def test_base64_holds_little_endian_float32() -> None:
    vector = np.array([0.1, -2.5, 1e-30], dtype=np.float32)
    for order in ("<f4", ">f4"):
        entries = struct.unpack("<3f", base64.b64decode(base64_of(vector.astype(order))))
        assert entries == tuple(vector.tolist())
