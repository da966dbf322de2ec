"""The folder of packed weights that a setting names; no torch."""

import os
from pathlib import Path
from typing import Final

OFF: Final = "off"
_FOLDER: Final = Path("verbatim", "packed")


def packed_cache(named: str | None) -> str | None:
    """Return the folder for packed weights: the one that is named, or the user's own; None for "off".

    Returns None for a user who has no home, too.
    """
    if named is not None:
        return None if named.lower() == OFF else named
    try:
        return str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / _FOLDER)
    except RuntimeError:
        return None
