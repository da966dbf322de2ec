"""The folder of packed weights that a setting names; no torch."""

from typing import Final

from engine.host.user_cache import user_cache

OFF: Final = "off"
_FOLDER: Final = "packed"


def packed_cache(named: str | None) -> str | None:
    """Return the folder for packed weights: the one that is named, or the user's own; None for "off".

    Returns None for a user who has no home, too.
    """
    if named is not None:
        return None if named.lower() == OFF else named
    try:
        return str(user_cache() / _FOLDER)
    except RuntimeError:
        return None
