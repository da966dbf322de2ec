"""The JSON files of a model's directory, each of which must hold an object."""

import json
from pathlib import Path
from typing import Any, Final

from engine.port.errors import ModelNotSupported
from engine.whole_file import read_whole

MAX_BYTES: Final = 2**30  # the vocabularies of models take tens of megabytes


def json_object(path: Path) -> dict[str, Any]:
    """Return the object that the file holds. Raises ModelNotSupported if it holds none."""
    try:
        found = json.loads(read_whole(path, MAX_BYTES).decode())
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ModelNotSupported(
            f"{path} is not a valid JSON file: {reason}; it may be cut short, as by a broken download"
        ) from error
    if not isinstance(found, dict):
        raise ModelNotSupported(f"{path} must hold a JSON object, and holds {_kind(found)}")
    return found


def _kind(found: object) -> str:
    return "null" if found is None else f"a {type(found).__name__}"
