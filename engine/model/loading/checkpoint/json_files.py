"""The JSON files of a model's directory, each of which must hold an object."""

import json
from pathlib import Path
from typing import Any

from engine.port.errors import ModelNotSupported


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


def _kind(found: object) -> str:
    return "null" if found is None else f"a {type(found).__name__}"
