"""The pooling that a model was trained with, from the sentence-transformers files in its directory."""

import re
from collections.abc import Callable
from pathlib import Path

from engine.model.loading.checkpoint.json_files import json_object
from engine.port.request import Pooling

_PLACE = Path("1_Pooling", "config.json")
# A model with several modes concatenates their vectors, which is not supported.
_POOLINGS: dict[tuple[str, ...], Pooling] = {("mean",): Pooling.MEAN, ("lasttoken",): Pooling.LAST}
_FLAG = re.compile(r"pooling_mode_(?P<mode>\w+?)(_tokens?)?")


def find_own_pooling(directory: Path, on_progress: Callable[[str], None]) -> Pooling | None:
    """Return the model's own pooling; None if it names none, or one that the engine does not support.

    on_progress: called with a message about each part of the configuration that is not supported.
    Raises ModelNotSupported if the file exists and cannot be read.
    """
    modes = _read_modes(directory / _PLACE)
    pooling = _POOLINGS.get(modes)
    if modes and pooling is None:
        on_progress(f"the model's own pooling for embeddings is not served: {', '.join(modes)}")
    for layer in sorted(directory.glob("*_Dense")):
        on_progress(f"the model's own layer for embeddings is not applied: {layer.name}")
    return pooling


def _read_modes(path: Path) -> tuple[str, ...]:
    """Return the names of the modes.

    Newer files name them; older ones have a flag for each, such as pooling_mode_mean_tokens.
    """
    if not path.is_file():
        return ()
    config = json_object(path)
    named = config.get("pooling_mode")
    if named is not None:
        return (named,) if isinstance(named, str) else tuple(named)
    flags = (_FLAG.fullmatch(key) for key, is_set in config.items() if is_set)
    return tuple(flag["mode"] for flag in flags if flag)
