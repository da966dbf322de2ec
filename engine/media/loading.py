"""The loading of a model's media processor; no torch.

Pillow and transformers' processors, which take a while to import, are imported for models that have one.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from transformers import PreTrainedConfig

from engine.media.families import family_of
from engine.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from engine.media.processor import PromptMediaProcessor

# Either is there if a processor of images is.
_PROCESSOR_FILES: Final = ("preprocessor_config.json", "processor_config.json")


def load_processor(
    directory: Path,
    config: PreTrainedConfig,
    tokenizer: Tokenizer,
    *,
    max_cached_bytes: int,
    on_progress: Callable[[str], object],
    keeps_arrays: bool = True,
) -> "PromptMediaProcessor | None":
    """Return the media processor of a model; None, which is reported, if it has none that can be used.

    keeps_arrays: as of PromptMediaProcessor.
    """
    family = family_of(config)
    if family is None or not any((directory / name).is_file() for name in _PROCESSOR_FILES):
        return None
    try:
        from engine.media.image_processor import CannotProcess, ImageProcessor
        from engine.media.processor import PromptMediaProcessor
    except ModuleNotFoundError as error:
        on_progress(f"note: images are not read: {error.name} is not installed")
        return None
    try:
        images = ImageProcessor(directory, config, family, tokenizer)
        return PromptMediaProcessor(
            images,
            config,
            family,
            tokenizer,
            max_cached_bytes=max_cached_bytes,
            keeps_arrays=keeps_arrays,
        )
    except CannotProcess as error:
        on_progress(f"note: images are not read: {error}")
        return None
