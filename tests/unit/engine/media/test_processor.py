"""The media processor finds places for files, and says what is wrong with files and prompts."""

from pathlib import Path
from typing import cast

import msgspec
import numpy as np
import pytest
from PIL import Image

from engine.build import build_core
from engine.config import MAX_IMAGE_PIXELS, EngineConfig, MediaLimits
from engine.media.processed_item import ARRAYS, Arrays
from engine.media.processor import PromptMediaProcessor
from engine.port.admission import check_request
from engine.port.errors import InvalidMedia, InvalidRequest
from engine.port.media_item import MediaItem
from engine.port.request import GenerationRequest, Media, MediaKind, Prompt, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from tests.support.samples.images import encoded
from tests.support.tiny_models.media import image_bytes, save_tiny_media_model

PICTURE = MediaItem(MediaKind.IMAGE, image_bytes(30, 20))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("gemma3")
    save_tiny_media_model(directory, "gemma3")
    return directory


@pytest.fixture(scope="module")
def loaded(directory: Path) -> tuple[PromptMediaProcessor, Tokenizer]:
    built = build_core(config_of(directory), lambda line: None)
    tokenizer = built.tokenizer
    processor = built.media_processor
    assert isinstance(processor, PromptMediaProcessor)
    return processor, tokenizer


def config_of(directory: Path, *, media: bool = True) -> EngineConfig:
    return EngineConfig(model=str(directory), device="cpu", dtype="float32", num_kv_blocks=64, media=media)


def test_files_and_places_must_be_as_many(loaded: tuple[PromptMediaProcessor, Tokenizer]) -> None:
    processor, tokenizer = loaded
    ids = tokenizer.encode("a " + processor.placeholder(MediaKind.IMAGE))
    with pytest.raises(InvalidRequest, match="1 places for media .<start_of_image>., and 2 came"):
        processor.expand(ids, [PICTURE, PICTURE])
    with pytest.raises(InvalidRequest, match="1 places for media .*, and 0 came"):
        processor.expand(ids, [])


def test_a_file_that_cannot_be_read_is_named_by_its_index(
    loaded: tuple[PromptMediaProcessor, Tokenizer],
) -> None:
    processor, tokenizer = loaded
    ids = tokenizer.encode(processor.placeholder(MediaKind.IMAGE) * 2)
    with pytest.raises(InvalidMedia, match="media item 1: the file is no image"):
        processor.expand(ids, [PICTURE, MediaItem(MediaKind.IMAGE, b"hello")])
    with pytest.raises(InvalidMedia, match="media item 0: the model reads no audio"):
        processor.expand(ids, [MediaItem(MediaKind.AUDIO, b"RIFF"), PICTURE])


def test_the_configuration_bounds_the_pixels_of_an_image_and_has_its_background(directory: Path) -> None:
    limits = MediaLimits(max_image_pixels=30 * 20, image_background=(0, 0, 255))
    config = msgspec.structs.replace(config_of(directory), media_limits=limits)
    built = build_core(config, lambda line: None)
    tokenizer = built.tokenizer
    processor = built.media_processor
    assert processor is not None
    ids = tokenizer.encode(processor.placeholder(MediaKind.IMAGE))
    assert processor.expand(ids, [PICTURE]).media
    clear, blue = (encoded(Image.new("RGBA", (9, 9), colour)) for colour in ((9, 9, 9, 0), (0, 0, 255, 255)))
    found = [processor.expand(ids, [MediaItem(MediaKind.IMAGE, data)]).media[0] for data in (clear, blue)]
    seen, expected = (cast(Arrays, media.features[ARRAYS])["pixel_values"] for media in found)
    np.testing.assert_array_equal(seen, expected)
    with pytest.raises(InvalidMedia, match="media item 0: an image of 31 × 20 pixels; 600 are the most"):
        processor.expand(ids, [MediaItem(MediaKind.IMAGE, image_bytes(31, 20))])


@pytest.mark.parametrize(
    ("field", "value", "bound"),
    [
        ("max_image_pixels", 0, "between 1 and"),
        ("max_image_pixels", MAX_IMAGE_PIXELS + 1, "between 1 and"),
        ("image_background", (0, 0, 256), "three numbers between 0 and 255"),
        ("max_audio_seconds", 0.0, "more than 0"),
        ("max_video_seconds", float("nan"), "more than 0"),
        ("max_video_frames", 0, "at least 1"),
    ],
)
def test_the_limits_of_files_are_bounded_themselves(field: str, value: object, bound: str) -> None:
    with pytest.raises(ValueError, match=f"{field} must be {bound}"):
        msgspec.structs.replace(MediaLimits(), **{field: value})


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 3), (1, 3), (3, 1), (200, 1)])
def test_pictures_of_few_pixels_are_read(
    loaded: tuple[PromptMediaProcessor, Tokenizer], width: int, height: int
) -> None:
    processor, tokenizer = loaded
    ids = tokenizer.encode(processor.placeholder(MediaKind.IMAGE))
    prompt = processor.expand(ids, [MediaItem(MediaKind.IMAGE, image_bytes(width, height))])
    assert len(prompt.media) == 1


def test_a_file_is_processed_once_and_its_digest_is_of_all_that_the_model_gets(
    loaded: tuple[PromptMediaProcessor, Tokenizer],
) -> None:
    processor, tokenizer = loaded
    ids = tokenizer.encode("a" + processor.placeholder(MediaKind.IMAGE) * 3)
    other, another = (MediaItem(MediaKind.IMAGE, image_bytes(31, 20, seed=seed)) for seed in (5, 6))
    num_hits = processor.cache.num_hits
    first, again, third = processor.expand(ids, [other, other, another]).media
    # What was made of the first is known when the second is looked for.
    assert processor.cache.num_hits == num_hits + 1
    assert first.features["arrays"] is again.features["arrays"]
    assert first.digest == again.digest != third.digest
    assert first.end <= again.position


def test_line_feeds_beside_an_image_become_the_tokens_that_the_whole_text_has(
    loaded: tuple[PromptMediaProcessor, Tokenizer],
) -> None:
    """transformers encodes a text after its images have got their places in it."""
    processor, tokenizer = loaded
    placeholder = processor.placeholder(MediaKind.IMAGE)
    image = placeholder + "<image_soft_token>" * 4 + "<end_of_image>"
    for text in ("a\n#\nb", "#", "\n\n#\n#", "#\n\n\n"):
        items = [PICTURE] * text.count("#")
        ids = processor.expand(tokenizer.encode(text.replace("#", placeholder)), items).token_ids
        assert list(ids) == tokenizer.encode(text.replace("#", f"\n\n{image}\n\n"))


def test_a_model_whose_images_are_not_wanted_is_loaded_without_its_encoder(directory: Path) -> None:
    built = build_core(config_of(directory, media=False), lambda line: None)
    info = built.info
    assert info.media == frozenset()
    assert built.media_processor is None
    whole = build_core(config_of(directory), lambda line: None).info
    assert info.num_parameters < whole.num_parameters


def test_a_processor_that_cannot_be_loaded_is_reported_and_text_is_served(tmp_path: Path) -> None:
    save_tiny_media_model(tmp_path, "gemma3")
    (tmp_path / "preprocessor_config.json").write_text("{}")
    (tmp_path / "processor_config.json").write_text('{"processor_class": "Unknown"}')
    lines: list[str] = []
    info = build_core(config_of(tmp_path), lines.append).info
    assert info.media == frozenset()
    assert any(line.startswith("note: images cannot be read: ") for line in lines), lines


@pytest.mark.parametrize("places", [[(-1, 2)], [(0, 0)], [(3, 3)], [(0, 3), (2, 2)], [(2, 2), (0, 1)]])
def test_media_must_have_their_places_in_the_prompt(directory: Path, places: list[tuple[int, int]]) -> None:
    info = build_core(config_of(directory), lambda line: None).info
    media = tuple(Media(digest=b"", position=first, num_tokens=number) for first, number in places)
    request = GenerationRequest(
        request_id="1",
        prompt=Prompt((1, 2, 3, 4, 5), media),
        sampling=SamplingParams(),
        stopping=StopConditions(max_tokens=1),
    )
    with pytest.raises(InvalidRequest, match="within the prompt, in order, and not overlap"):
        check_request(request, info)
