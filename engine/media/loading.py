"""The loading of a model's media processor.

Pillow and transformers' processors, which take a while to import, are imported for models that have one.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from transformers import PreTrainedConfig

from engine.media.encoder import MediaEncoder
from engine.media.families import family_of, kinds_in_words
from engine.media.limits import MediaLimits
from engine.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from engine.media.processor import PromptMediaProcessor

# Either is there if a processor of media is.
_PROCESSOR_FILES: Final = ("preprocessor_config.json", "processor_config.json")


class LoadedMedia(NamedTuple):
    """The readers of a model's media: the processor in worker threads, the encoder in steps."""

    processor: "PromptMediaProcessor"
    encoder: MediaEncoder


def load_processor(
    directory: Path,
    config: PreTrainedConfig,
    tokenizer: Tokenizer,
    *,
    max_cached_bytes: int,
    limits: MediaLimits,
    on_progress: Callable[[str], None],
) -> "PromptMediaProcessor | None":
    """Return the media processor of a model; None, which is reported, if it has none that can be used.

    max_cached_bytes: of processed files.
    """
    family = family_of(config)
    if family is None or not any((directory / name).is_file() for name in _PROCESSOR_FILES):
        return None
    unread = f"note: {kinds_in_words(family.kinds)} are not read"
    try:
        from engine.media.processor import PromptMediaProcessor
        from engine.media.reader import CannotProcess
        from engine.media.readers import load_readers
    except ModuleNotFoundError as error:
        on_progress(f"{unread}: {error.name} is not installed")
        return None
    try:
        readers = load_readers(directory, config, family, tokenizer, limits, on_progress)
        return PromptMediaProcessor(readers, family, tokenizer, max_cached_bytes=max_cached_bytes)
    except CannotProcess as error:
        on_progress(f"{unread}: {error}")
        return None
