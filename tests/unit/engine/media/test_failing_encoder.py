"""A picture that the encoder cannot encode fails its own request, and no other of the step."""

from functools import wraps
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import LlavaModel

from engine.build import build_core
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.media.processed_item import ARRAYS
from engine.port.errors import GenerationFailed
from engine.port.events import TokenEvent
from engine.port.media_item import MediaItem
from engine.port.request import (
    EmbeddingRequest,
    GenerationRequest,
    MediaKind,
    Pooling,
    Prompt,
    SamplingParams,
    StopConditions,
)
from tests.support.tiny_models.media import image_bytes, save_tiny_media_model

GOOD, BAD, OTHER = (image_bytes(30, 20, seed=seed) for seed in range(3))
TEXTS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("only a text", ()),
    ("this: #", (GOOD,)),
    ("that: # and #", (OTHER, BAD)),
    ("a last one: #", (OTHER,)),
)
FAILING = 2


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("llava")
    save_tiny_media_model(directory, "llava")
    return directory


def load(directory: Path, **shape: Any) -> tuple[EngineCore, list[Prompt]]:
    config = EngineConfig(model=str(directory), device="cpu", dtype="float32", num_kv_blocks=64, **shape)
    built = build_core(config, lambda line: None)
    core, tokenizer = built.core, built.tokenizer
    processor = built.media_processor
    assert processor is not None
    placeholder = processor.placeholder(MediaKind.IMAGE)
    return core, [
        processor.expand(
            tokenizer.encode(text.replace("#", placeholder)),
            [MediaItem(MediaKind.IMAGE, data) for data in images],
        )
        for text, images in TEXTS
    ]


def request_of(number: int, prompt: Prompt) -> GenerationRequest:
    return GenerationRequest(
        request_id=str(number),
        prompt=prompt,
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=8),
    )


def results(core: EngineCore) -> dict[int, list[Any]]:
    """Return the token ids of each request, or its error."""
    found: dict[int, list[Any]] = {}
    while core.has_work:
        for number, event in core.step():
            found.setdefault(number, []).append(event.token_id if isinstance(event, TokenEvent) else event)
    return found


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[Tensor]:
    """Return the pictures for which an encoder raises, whatever else is in their batch; put some in it."""
    tensors: list[Tensor] = []
    compute = LlavaModel.get_image_features

    @wraps(compute)
    def failing(self: Any, pixel_values: Tensor, *args: Any, **options: Any) -> Any:
        if any(torch.equal(one, tensor) for one in pixel_values for tensor in tensors):
            raise RuntimeError("this picture is too much")
        return compute(self, pixel_values, *args, **options)

    monkeypatch.setattr(LlavaModel, "get_image_features", failing)
    return tensors


def bad_tensor(prompts: list[Prompt]) -> Tensor:
    arrays: Any = prompts[FAILING].media[1].features[ARRAYS]
    return torch.from_numpy(arrays["pixel_values"][0])


@pytest.mark.parametrize(
    "shape", [{"max_media_tokens": 512}, {"max_batch_tokens": 16}, {"media_cache_bytes": 1}]
)
def test_an_image_that_cannot_be_encoded_fails_its_request_alone(
    directory: Path, shape: dict[str, Any], refused: list[Tensor]
) -> None:
    core, prompts = load(directory, **shape)
    for number, prompt in enumerate(prompts):
        core.add(number, request_of(number, prompt))
    expected = results(core)
    core, prompts = load(directory, **shape)
    refused.append(bad_tensor(prompts))
    for number, prompt in enumerate(prompts):
        core.add(number, request_of(number, prompt))
    found = results(core)
    [error] = found.pop(FAILING)
    assert isinstance(error, GenerationFailed)
    assert str(error) == "the model failed to encode media item 1"
    assert found == {number: tokens for number, tokens in expected.items() if number != FAILING}
    counters = core.stats().counters
    assert (counters.num_failed, counters.num_failed_steps) == (1, 0)
    assert not core.is_failing
    assert core.scheduler.pool.num_free == core.scheduler.pool.num_blocks


def test_what_was_computed_beside_a_failed_image_is_not_found_again(
    directory: Path, refused: list[Tensor]
) -> None:
    """The tokens of the failed request have keys and values without the image."""
    core, prompts = load(directory, block_size=2)
    core.add(0, request_of(0, prompts[FAILING]))
    expected = results(core)[0]
    core, prompts = load(directory, block_size=2)
    refused.append(bad_tensor(prompts))
    core.add(0, request_of(0, prompts[FAILING]))
    assert isinstance(results(core)[0][0], GenerationFailed)
    refused.clear()
    core.add(1, request_of(1, prompts[FAILING]))
    assert results(core)[1] == expected


def test_an_embedding_of_an_image_that_cannot_be_encoded_fails_alone(
    directory: Path, refused: list[Tensor]
) -> None:
    core, prompts = load(directory)
    refused.append(bad_tensor(prompts))
    for number, prompt in enumerate(prompts):
        core.embed(number, EmbeddingRequest(request_id=str(number), prompt=prompt, pooling=Pooling.LAST))
    found = results(core)
    assert [isinstance(found[number][0], GenerationFailed) for number in range(len(prompts))] == [
        number == FAILING for number in range(len(prompts))
    ]
