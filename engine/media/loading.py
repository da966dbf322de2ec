"""The loading of a model's media processor; no torch.

Pillow and transformers' processors, which take a while to import, are imported for models that have one.
"""

from collections.abc import Callable, Collection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from transformers import PreTrainedConfig

from engine.config import MediaLimits
from engine.extras import how_to_install, missing
from engine.media.families import family_of, kinds_in_words, why_unread
from engine.port.request import MediaKind
from engine.port.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from engine.media.processor import PromptMediaProcessor

# Either is there if a processor of media is.
_PROCESSOR_FILES: Final = ("preprocessor_config.json", "processor_config.json")
_ADVICE: Final = {
    "torchvision": "pip install torchvision, in the version for the torch that is installed",
    "timm": "pip install timm",
}


def load_processor(
    directory: Path,
    config: PreTrainedConfig,
    tokenizer: Tokenizer,
    *,
    max_cached_bytes: int,
    limits: MediaLimits,
    on_progress: Callable[[str], object],
    kinds: Collection[MediaKind] = tuple(MediaKind),
    keeps_arrays: bool = True,
) -> "PromptMediaProcessor | None":
    """Return the media processor of a model; None, which is reported, if it has none that can be used.

    max_cached_bytes: of processed files. kinds: those that are wanted. keeps_arrays: as of
    PromptMediaProcessor.
    """
    family = family_of(config)
    if family is None:
        if (reason := why_unread(config)) is not None:
            on_progress(f"note: the model is served for text only; its media are not read: {reason}")
        return None
    if not any((directory / name).is_file() for name in _PROCESSOR_FILES):
        return None
    family = family._replace(kinds=family.kinds.intersection(kinds))
    if not family.kinds:
        return None
    unread = f"note: {kinds_in_words(family.kinds)} cannot be read"
    if lacking := missing("media"):
        on_progress(f"{unread} without {', '.join(lacking)}: {how_to_install('media')}")
        return None
    needed = family.processor_needs + (family.encoder_needs if keeps_arrays else ())
    if problems := dict.fromkeys(problem for package in needed if (problem := _problem_of(package))):
        on_progress(f"{unread}: {'; '.join(problems)}")
        return None
    try:
        from engine.media.load_readers import load_readers
        from engine.media.processor import PromptMediaProcessor
        from engine.media.readers.media_reader import CannotProcess
    except ModuleNotFoundError as error:
        on_progress(f"{unread}: {error.name} is not installed")
        return None
    try:
        readers = load_readers(
            directory, config, family, tokenizer, limits, on_progress, keeps_arrays=keeps_arrays
        )
        return PromptMediaProcessor(
            readers, family, tokenizer, max_cached_bytes=max_cached_bytes, keeps_arrays=keeps_arrays
        )
    except CannotProcess as error:
        on_progress(f"{unread}: {error}")
        return None


def _problem_of(package: str) -> str | None:
    """Return why a package that transformers needs cannot be imported, and what to do; None if it can."""
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed ({_ADVICE.get(error.name or package, package)})"
    except Exception as error:  # a torchvision that is made for another torch raises RuntimeError
        return f"{package} cannot be imported: {' '.join(str(error).split())} ({_ADVICE[package]})"
    return None
