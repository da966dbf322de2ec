"""The folder of the user's cache that is Verbatim's; no torch."""

import os
from pathlib import Path


def user_cache() -> Path:
    """Return the folder, which need not be there yet. Raises RuntimeError for a user who has no home."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verbatim"
