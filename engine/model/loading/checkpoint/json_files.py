"""The JSON files of a model's directory, each of which must hold an object."""

import json
from pathlib import Path
from typing import Any

from engine.errors import ModelNotSupported

# Those that libraries read by themselves, some of them ignoring what they cannot read.
_READ_BY_LIBRARIES = (
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "model.safetensors.index.json",
)


def json_object(path: Path) -> dict[str, Any]:
    """Return the object that the file holds. Raises ModelNotSupported if it holds none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ModelNotSupported(
            f"{path} is not a valid JSON file: {reason}; it may be cut short, as by a broken download"
        ) from error
    if not isinstance(found, dict):
        raise ModelNotSupported(f"{path} must hold a JSON object, and holds {_kind(found)}")
    return found


def check_json_files(directory: Path) -> None:
    """Raise ModelNotSupported for a small JSON file of the model that is none, or holds no object."""
    for name in _READ_BY_LIBRARIES:
        if (path := directory / name).is_file():
            json_object(path)


def _kind(found: object) -> str:
    return "null" if found is None else f"a {type(found).__name__}"
