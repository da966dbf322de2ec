"""A text's vector is pooled from what transformers' bare model computes, whatever else the engine runs."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from transformers import AutoModel, AutoModelForCausalLM

from engine.core.core import EngineCore
from engine.port.events import Embedding, TokenEvent
from engine.port.request import (
    Pooling,
    SamplingParams,
    StopConditions,
)
from tests.parity.test_engine_parity import MAX_TOKENS, Expected, expect, new_core
from tests.support.engine_requests import embedding_request, generation_request
from tests.support.selection.effort import usually
from tests.support.tiny_models.text import ARCHITECTURES, save_tiny_model

TOLERANCE = 1e-4  # of entries that are about 1 in size; other kernels sum in another order
NUM_TEXTS = 14
# Name -> how the engine is squeezed. Texts are of up to 40 tokens, sliding windows of 9. `make test` squeezes
# an architecture as the first says, and as one of the others.
SHAPES: dict[str, dict[str, Any]] = {
    "chunks and preemption": {"num_kv_blocks": 20, "max_batch_tokens": 5},
    "whole texts": {},
    "chunks of 7 tokens": {"max_batch_tokens": 7},
}
# Architectures that `make test` tries.
USUAL = ("llama", "gemma3", "gpt2", "deepseek_v3")
GENERATING = 100  # added to the arrivals of those that generate


@dataclass(frozen=True)
class Case:
    """Texts that begin alike in pairs, and the hidden states [num_tokens, hidden_size] of each."""

    directory: Path
    texts: list[tuple[int, ...]]
    hidden: list[NDArray[np.float32]]
    generated: list[Expected]


@pytest.fixture(scope="module", params=usually(ARCHITECTURES, USUAL))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    architecture = request.param
    directory = save_tiny_model(tmp_path_factory.mktemp(architecture), architecture, has_end_token=False)
    options: dict[str, Any] = {"dtype": torch.float32, "attn_implementation": "eager"}
    body = AutoModel.from_pretrained(directory, **options)
    random = Random(architecture)
    stem = [random.randrange(256) for _ in range(20)]
    lengths = [1, 2, 16, 40, *(random.randint(3, 40) for _ in range(NUM_TEXTS - 4))]
    texts = [
        tuple((stem * (number % 2) + [random.randrange(256) for _ in range(length)])[:40])
        for number, length in enumerate(lengths)
    ]
    with torch.inference_mode():
        hidden = [body(torch.tensor([text])).last_hidden_state[0].numpy() for text in texts]
    model = AutoModelForCausalLM.from_pretrained(directory, **options)
    return Case(directory, texts, hidden, [expect(model, list(text)) for text in texts[3:6]])


def pooled(hidden: NDArray[np.float32], pooling: Pooling) -> NDArray[np.float64]:
    rows: NDArray[np.float64] = hidden.astype(np.float64)
    last: NDArray[np.float64] = rows[-1]
    return last if pooling is Pooling.LAST else np.mean(rows, axis=0)


def embed(core: EngineCore, arrival: int, case: Case, pooling: Pooling, *, normalize: bool = False) -> None:
    text = case.texts[arrival % NUM_TEXTS]
    request = embedding_request(
        request_id=str(arrival),
        token_ids=text,
        pooling=pooling,
        normalize=normalize,
        priority=1,  # so that what generates can take its blocks
    )
    core.embed(arrival, request)


def generate(core: EngineCore, arrival: int, expected: Expected) -> None:
    request = generation_request(
        request_id=str(arrival),
        token_ids=expected.prompt,
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=MAX_TOKENS),
    )
    core.add(arrival, request)


def run(core: EngineCore, embeddings: dict[int, Embedding], tokens: dict[int, list[int]]) -> None:
    for arrival, told in core.step():
        if isinstance(told, TokenEvent):
            tokens.setdefault(arrival, []).append(told.token_id)
        else:
            assert isinstance(told, Embedding), told
            assert arrival not in embeddings, "a text has one vector"
            embeddings[arrival] = told


def assert_pooled(told: Embedding, hidden: NDArray[np.float32], pooling: Pooling) -> None:
    assert told.vector.dtype == np.float32
    assert told.num_prompt_tokens == len(hidden)
    np.testing.assert_allclose(told.vector, pooled(hidden, pooling), rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "pooling")
@pytest.mark.parametrize("pooling", Pooling)
def test_a_text_alone_gives_the_pooled_hidden_states_of_transformers(case: Case, pooling: Pooling) -> None:
    core = new_core(case.directory, prefix_caching=False)
    for number, hidden in enumerate(case.hidden):
        embeddings: dict[int, Embedding] = {}
        embed(core, number, case, pooling)
        while core.has_work:
            run(core, embeddings, {})
        assert_pooled(embeddings[number], hidden, pooling)


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "shape", always=1)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_batches_chunks_preemptions_and_what_generates_alter_no_vector_and_no_token(
    case: Case, shape: dict[str, Any]
) -> None:
    core = new_core(case.directory, block_size=4, **shape)
    random = Random(5)
    poolings = dict(enumerate(random.choices(list(Pooling), k=2 * NUM_TEXTS)))
    embeddings: dict[int, Embedding] = {}
    tokens: dict[int, list[int]] = {}
    for arrival, pooling in poolings.items():
        embed(core, arrival, case, pooling)
        if arrival % 4 == 0:
            generate(core, GENERATING + arrival, case.generated[arrival // 4 % len(case.generated)])
        for _ in range(random.choice([0, 0, 1, 4])):
            run(core, embeddings, tokens)
    while core.has_work:
        run(core, embeddings, tokens)
    for arrival, pooling in poolings.items():
        assert_pooled(embeddings[arrival], case.hidden[arrival % NUM_TEXTS], pooling)
    for arrival in range(0, len(poolings), 4):
        expected = case.generated[arrival // 4 % len(case.generated)]
        assert tokens[GENERATING + arrival] == expected.tokens
    stats = core.stats()
    assert stats.num_free_blocks == stats.num_blocks
    assert (stats.counters.num_preemptions > 0) == ("num_kv_blocks" in shape)
    assert stats.counters.num_cache_hit_tokens > 0


@pytest.mark.takes_turns("case")
def test_a_normalised_vector_has_unit_length_and_its_texts_direction(case: Case) -> None:
    core = new_core(case.directory)
    embeddings: dict[int, Embedding] = {}
    for number in range(NUM_TEXTS):
        embed(core, number, case, Pooling.MEAN, normalize=True)
    while core.has_work:
        run(core, embeddings, {})
    for number, hidden in enumerate(case.hidden):
        mean = pooled(hidden, Pooling.MEAN)
        expected = mean / np.linalg.norm(mean)
        np.testing.assert_allclose(embeddings[number].vector, expected, atol=TOLERANCE)
        assert np.linalg.norm(embeddings[number].vector) == pytest.approx(1, abs=1e-6)


@pytest.mark.takes_turns("case")
def test_a_text_that_loses_its_cache_midway_has_the_vector_of_transformers(case: Case) -> None:
    core = new_core(case.directory, block_size=4, max_batch_tokens=25)
    embeddings: dict[int, Embedding] = {}
    for arrival in range(2 * NUM_TEXTS):
        embed(core, arrival, case, list(Pooling)[arrival % 2])
    lost: set[int] = set()
    while core.has_work:
        run(core, embeddings, {})
        for sequence in [one for one in core.scheduler.running if one.arrival not in lost]:
            lost.add(sequence.arrival)
            core.scheduler.preempt(sequence)
    assert len(lost) > NUM_TEXTS // 2
    for arrival, told in embeddings.items():
        assert_pooled(told, case.hidden[arrival % NUM_TEXTS], list(Pooling)[arrival % 2])
    assert len(embeddings) == 2 * NUM_TEXTS
