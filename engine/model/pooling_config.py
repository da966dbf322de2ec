"""How a model was trained to be embedded, as the files of sentence-transformers in its directory say."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.errors import ModelNotSupported
from engine.request import Pooling

_PLACE = Path("1_Pooling", "config.json")
# A model with several modes joins their vectors.
_POOLINGS: dict[tuple[str, ...], Pooling] = {("mean",): Pooling.MEAN, ("lasttoken",): Pooling.LAST}
_FLAG = re.compile(r"pooling_mode_(?P<mode>\w+?)(_tokens?)?")


def find_own_pooling(directory: Path, on_progress: Callable[[str], None]) -> Pooling | None:
    """None where nothing is said; also where the engine cannot do it, which is told to `on_progress`.

    Raises ModelNotSupported where the file is there and cannot be read.
    """
    modes = _read_modes(directory / _PLACE)
    pooling = _POOLINGS.get(modes)
    if modes and pooling is None:
        on_progress(f"the model's own pooling for embeddings is not served: {', '.join(modes)}")
    for layer in sorted(directory.glob("*_Dense")):
        on_progress(f"the model's own layer for embeddings is not applied: {layer.name}")
    return pooling


def _read_modes(path: Path) -> tuple[str, ...]:
    """Newer versions name the mode or modes; older ones have a flag for each, as pooling_mode_mean_tokens."""
    try:
        config: dict[str, Any] = json.loads(path.read_text())
        named = config.get("pooling_mode")
    except FileNotFoundError:
        return ()
    except (ValueError, AttributeError) as error:
        raise ModelNotSupported(f"{path} is no JSON object: {error}") from error
    if named is not None:
        return (named,) if isinstance(named, str) else tuple(named)
    flags = (_FLAG.fullmatch(key) for key, is_set in config.items() if is_set)
    return tuple(flag["mode"] for flag in flags if flag)
