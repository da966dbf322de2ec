"""transformers' index of its models as an earlier process made it, from a file of the user's cache.

To make it, 1,600 files are read. Whether any has changed since is seen by their names, sizes and times, which
takes a tenth as long.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from engine.host.user_cache import user_cache

Index = dict[frozenset[str], dict[str, set[str]]]
"""The names that each module defines, by what must be installed for them."""

_FEWEST_FOLDERS: Final = 100  # the index of a single model is made as quickly as it is looked up
_FORM: Final = 1  # of the file


def kept(define: Callable[[str], Index], made_by: Path) -> Callable[[str], Index]:
    """Return a function with the same results that keeps those of large folders.

    define: given a folder, as transformers' own. made_by: the file with its code.
    """

    def define_or_find(folder: str) -> Index:
        place = None if _num_folders(folder) < _FEWEST_FOLDERS else _place(folder)
        if place is None:
            return define(folder)
        state = _state(folder, made_by)
        if (index := _read(place, state)) is None:
            index = define(folder)
            _write(place, state, index)
        return index

    return define_or_find


def _num_folders(folder: str) -> int:
    try:
        with os.scandir(folder) as entries:
            return sum(entry.is_dir() for entry in entries)
    except OSError:  # which the function that makes the index reports
        return 0


def _place(folder: str) -> Path | None:
    """Return the file for a folder's index; None for a user who has no home."""
    try:
        cache = user_cache()
    except RuntimeError:
        return None
    return cache / f"module-index-{hashlib.sha256(folder.encode()).hexdigest()[:16]}.json"


def _state(folder: str, made_by: Path) -> str:
    """Return a digest of the names, sizes and times of all files that an index depends on."""
    own = made_by.stat()
    files = [f"{_FORM} {own.st_size} {own.st_mtime_ns}", *sorted(_files(folder))]
    return hashlib.sha256("\0".join(files).encode()).hexdigest()


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                yield from _files(entry.path)
            else:
                found = entry.stat()
                yield f"{entry.path} {found.st_size} {found.st_mtime_ns}"


def _read(place: Path, state: str) -> Index | None:
    """Return the index that was written for this state; None if there is none, or it is no index."""
    try:
        found: Any = json.loads(place.read_bytes())
        if found["state"] != state:
            return None
        return {
            frozenset(backends): {str(module): set(names) for module, names in modules.items()}
            for backends, modules in found["index"]
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(place: Path, state: str, index: Index) -> None:
    content = {
        "state": state,
        "index": [
            [sorted(backends), {module: sorted(names) for module, names in modules.items()}]
            for backends, modules in index.items()
        ],
    }
    with suppress(OSError):  # of a folder that nobody may write to
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file, name = tempfile.mkstemp(prefix=f"{place.name}.", dir=place.parent)
        try:
            with open(file, "w", encoding="utf-8") as opened:
                json.dump(content, opened)
            os.replace(name, place)
        except BaseException:
            os.unlink(name)
            raise
