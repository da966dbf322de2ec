"""Sounds become places in a prompt, within the bounds of the engine and of the model."""

from pathlib import Path
from typing import Any

import pytest

from engine.build import build_core
from engine.config import EngineConfig, MediaLimits
from engine.port.errors import InvalidMedia
from engine.port.media_item import MediaItem, MediaProcessor
from engine.port.request import MediaKind
from engine.port.text.tokenizer import Tokenizer
from tests.support.samples.sounds import encoded, sound_bytes, tone
from tests.support.tiny_models.audio import save_tiny_audio_model
from tests.support.tiny_models.media import image_bytes, save_tiny_media_model

SOUND = MediaItem(MediaKind.AUDIO, sound_bytes(0.5))
PICTURE = MediaItem(MediaKind.IMAGE, image_bytes(30, 20))


def load(directory: Path, **fields: Any) -> tuple[Tokenizer, MediaProcessor | None, list[str]]:
    config = EngineConfig(model=str(directory), device="cpu", dtype="float32", num_kv_blocks=64, **fields)
    lines: list[str] = []
    built = build_core(config, lines.append)
    tokenizer, info = built.tokenizer, built.info
    processor = built.media_processor
    assert info.media == (frozenset() if processor is None else processor.kinds)
    return tokenizer, processor, lines


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("gemma4")
    save_tiny_audio_model(directory, "gemma4")
    return directory


def test_each_place_takes_a_file_of_its_kind(directory: Path) -> None:
    tokenizer, processor, lines = load(directory)
    assert processor is not None
    assert any(line.startswith("reads audio and images, by an encoder") for line in lines), lines
    image, sound = processor.placeholder(MediaKind.IMAGE), processor.placeholder(MediaKind.AUDIO)
    ids = tokenizer.encode(f"{sound} and {image}")
    first, second = processor.expand(ids, [SOUND, PICTURE]).media
    assert (first.kind, second.kind) == (MediaKind.AUDIO, MediaKind.IMAGE)
    # The tokens of an image see each other, as this model wants it, and those of a sound do not.
    assert second.seen_together and not first.seen_together
    with pytest.raises(InvalidMedia, match="media item 0: it is image, and its place is one of audio"):
        processor.expand(ids, [PICTURE, SOUND])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"hello", "the file is no sound"),
        (sound_bytes(1.1), "the sound takes more than 1 seconds"),
        (encoded(tone(0.001)), "too short|refuses the sound"),
    ],
)
def test_a_sound_that_cannot_be_read_is_named_by_its_index(directory: Path, data: bytes, reason: str) -> None:
    tokenizer, processor, _ = load(directory, media_limits=MediaLimits(max_audio_seconds=1.0))
    assert processor is not None
    ids = tokenizer.encode(processor.placeholder(MediaKind.AUDIO) * 2)
    with pytest.raises(InvalidMedia, match=f"media item 1: .*({reason})"):
        processor.expand(ids, [SOUND, MediaItem(MediaKind.AUDIO, data)])


def test_a_model_without_an_encoder_of_sounds_sees_alone(tmp_path: Path) -> None:
    """The larger models of Gemma 4 are such."""
    save_tiny_media_model(tmp_path, "gemma4")
    _, processor, _ = load(tmp_path)
    assert processor is not None and processor.kinds == {MediaKind.IMAGE, MediaKind.VIDEO}


@pytest.mark.parametrize("family", ["qwen2_audio", "voxtral"])
def test_a_model_that_hears_serves_text_alone_where_sounds_are_not_wanted_or_cannot_be_read(
    tmp_path: Path, family: str
) -> None:
    save_tiny_audio_model(tmp_path, family)
    tokenizer, processor, _ = load(tmp_path, media=False)
    assert processor is None
    (tmp_path / "preprocessor_config.json").write_text('{"feature_extractor_type": "Unknown"}')
    tokenizer, processor, lines = load(tmp_path)
    assert processor is None
    assert any(line.startswith("note: audio cannot be read: ") for line in lines), lines
