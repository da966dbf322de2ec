"""The loading of what reads a model's files, by kind; no torch."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from transformers import AutoFeatureExtractor, AutoImageProcessor, PreTrainedConfig

from engine.config import MediaLimits
from engine.media.families import MediaFamily
from engine.media.readers.audio_reader import AudioReader
from engine.media.readers.feature_shapes import without_features
from engine.media.readers.image_reader import ImageReader
from engine.media.readers.media_reader import CannotProcess, MediaReader
from engine.media.readers.own_images import OWN_IMAGES
from engine.media.readers.whole_processor import (
    IMAGES,
    IMAGES_FILE,
    SETTINGS_FILE,
    stored_settings,
    whole_processor,
)
from engine.media.video.video_reader import VideoReader
from engine.port.request import MediaKind
from engine.port.text.tokenizer import Tokenizer


def load_readers(
    directory: Path,
    config: PreTrainedConfig,
    family: MediaFamily,
    tokenizer: Tokenizer,
    limits: MediaLimits,
    on_progress: Callable[[str], object],
    *,
    keeps_arrays: bool,
) -> Mapping[MediaKind, MediaReader]:
    """Return the readers of the kinds that a model reads. Raises CannotProcess.

    on_progress: is told where videos are not read and images are. keeps_arrays: whether the arrays of what
    is read are wanted; if not, those of audio and videos are zeros of the same shapes, which cost nothing.
    """
    has_images, has_audio = MediaKind.IMAGE in family.kinds, MediaKind.AUDIO in family.kinds
    try:
        images = _images(directory, config, family) if has_images else None
        audio = _loaded(AutoFeatureExtractor, directory) if has_audio else None
        if audio is not None and not keeps_arrays:
            audio = without_features(audio)
        whole = whole_processor(directory, config, tokenizer, images=images, audio=audio)
    except Exception as error:  # whatever transformers raises for missing or broken files
        raise CannotProcess(f"{type(error).__name__}: {' '.join(str(error).split())}") from error
    readers: dict[MediaKind, MediaReader] = {}
    if images is not None:
        readers[MediaKind.IMAGE] = ImageReader(images, whole, config, family, limits)
    if audio is not None:
        readers[MediaKind.AUDIO] = AudioReader(audio, whole, config, max_seconds=limits.max_audio_seconds)
    if MediaKind.VIDEO in family.kinds:
        try:
            readers[MediaKind.VIDEO] = VideoReader(
                directory, images, whole, config, family, tokenizer, limits, keeps_arrays=keeps_arrays
            )
        except CannotProcess as error:
            on_progress(f"note: videos cannot be read: {error}")
    return readers


def _images(directory: Path, config: PreTrainedConfig, family: MediaFamily) -> Any:
    """Return transformers' processor of images, or what stands for it.

    It scales by Pillow, also where torchvision is installed, if transformers has one that does.
    """
    if (own := OWN_IMAGES.get(config.model_type)) is None:
        backend = {} if family.processor_needs else {"backend": "pil"}
        return _loaded(AutoImageProcessor, directory, **backend)
    whole = stored_settings(directory / SETTINGS_FILE)
    return own(whole.get(IMAGES) or stored_settings(directory / IMAGES_FILE))


def _loaded(auto: Any, directory: Path, **options: str) -> Any:
    return auto.from_pretrained(directory, local_files_only=True, **options)
