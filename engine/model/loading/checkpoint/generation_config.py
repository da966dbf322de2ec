"""The sampling that a model's generation_config.json recommends; no torch."""

from pathlib import Path
from typing import Final

from engine.model.loading.checkpoint.json_files import json_object

_SAMPLING: Final = (
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "repetition_penalty",
)


def read_recommended_sampling(directory: Path) -> dict[str, float]:
    """Return the sampling parameters that the file sets, by name; {} without a file.

    Raises ModelNotSupported for a file that holds no JSON object.
    """
    path = directory / "generation_config.json"
    found = json_object(path) if path.is_file() else {}
    return {name: found[name] for name in _SAMPLING if isinstance(found.get(name), int | float)}
