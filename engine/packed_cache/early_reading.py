"""The reading of a checkpoint's content before torch is imported, where packed weights may be found by it."""

import logging
from pathlib import Path
from typing import Final

from engine.config import EngineConfig
from engine.packed_cache.content import Checkpoint

FEWEST_BYTES: Final = 1 << 27  # of a checkpoint; smaller ones are packed in no time
SHAPE_LENGTH: Final = 16  # hexadecimal digits of a digest in an entry's name
SUFFIX: Final = ".weights"

_begun: list[Checkpoint] = []
_log = logging.getLogger(__name__)


def begin_reading(config: EngineConfig, directory: Path | None) -> None:
    """Begin to read the model's files, if they are in this directory and the cache may have an entry."""
    _begun.clear()
    if config.packed_cache is None or directory is None:
        return
    try:
        checkpoint = Checkpoint(directory)
    except OSError as error:
        _log.warning("%s cannot be read: %s", directory, error)
        return
    is_worth_it = checkpoint.num_bytes >= FEWEST_BYTES
    if is_worth_it and has_entries(Path(config.packed_cache), checkpoint.shape):
        checkpoint.begin_reading()
        _begun.append(checkpoint)


def begun_reading(directory: Path) -> Checkpoint | None:
    """Return the checkpoint of this directory whose reading has begun; None if there is none."""
    begun = _begun.pop() if _begun else None
    return begun if begun is not None and begun.directory == directory else None


def has_entries(folder: Path, shape: str) -> bool:
    """Return whether a folder of packed weights has any for a checkpoint of this shape."""
    return any(True for _ in folder.glob(f"{shape[:SHAPE_LENGTH]}-*{SUFFIX}"))
