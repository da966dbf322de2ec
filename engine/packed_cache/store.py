"""The folder of packed weights, which holds at most as many bytes as it may."""

import contextlib
import logging
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from engine.packed_cache.early_reading import SUFFIX
from engine.packed_cache.entry import (
    UNFINISHED,
    BrokenEntry,
    PackedEntry,
    entry_size,
    read_entry,
    write_entry,
)

MOST_BYTES: Final = 32 << 30
_LONGEST_WRITE_S: Final = 3600.0  # an unfinished file that was not written to for so long is left behind

_log = logging.getLogger(__name__)


class PackedStore:
    """The entries of one folder: one for each shape of checkpoint and each way of packing it.

    shape: the digest of a checkpoint without its numbers. variant: that of all else that packing depends on.
    An entry names the content that it was packed from, and another content of the same shape takes its place.
    Entries that were not used for longest are removed for new ones.
    """

    def __init__(self, directory: Path, most_bytes: int = MOST_BYTES) -> None:
        self._directory = directory
        self._most_bytes = most_bytes

    def read(self, shape: str, variant: str, content: str) -> PackedEntry | None:
        """Return the entry for this content; None if there is none. A broken one is logged and removed."""
        path = self._path(shape, variant)
        try:
            entry = read_entry(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.warning("packed weights cannot be read, and are packed anew: %s", error)
            return None
        except BrokenEntry as error:
            _log.warning("%s is broken, and is removed; weights are packed anew: %s", path, error)
            self.remove(path)
            return None
        if entry.description["content"] != content:
            return None
        with contextlib.suppress(OSError):  # a folder that may only be read
            os.utime(path)
        return entry

    def write(
        self,
        shape: str,
        variant: str,
        content: str,
        description: Mapping[str, Any],
        tensors: Mapping[str, Tensor],
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Keep an entry, and return whether that succeeded; a failure is logged, unless it became unwanted.

        As much of the disk as it takes stays free.
        """
        path, size = self._path(shape, variant), entry_size(tensors)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if size > self._most_bytes:
                raise OSError(f"they take {size:,} bytes, and the cache {self._most_bytes:,} at most")
            self._make_room(path, size)
            if shutil.disk_usage(self._directory).free < 2 * size:
                raise OSError(f"less than {2 * size:,} bytes of the disk are free")
            write_entry(path, {"content": content, **description}, tensors, is_wanted)
        except OSError as error:
            if is_wanted():
                _log.warning("packed weights are not kept in %s: %s", self._directory, error)
            return False
        return True

    def remove(self, path: Path) -> None:
        """Remove an entry. Processes that have mapped it are not affected."""
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)

    def _path(self, shape: str, variant: str) -> Path:
        return self._directory / f"{shape}-{variant}{SUFFIX}"

    def _make_room(self, path: Path, size: int) -> None:
        """Remove the entries that were not used for longest, and what broken-off writes left behind."""
        for unfinished in self._directory.glob(f"*{SUFFIX}.*{UNFINISHED}"):
            if time.time() - unfinished.stat().st_mtime > _LONGEST_WRITE_S:
                self.remove(unfinished)
        others = [(each, each.stat()) for each in self._directory.glob(f"*{SUFFIX}") if each != path]
        total = size + sum(state.st_size for _, state in others)
        for other, state in sorted(others, key=lambda each: each[1].st_mtime_ns):
            if total <= self._most_bytes:
                return
            self.remove(other)
            total -= state.st_size
