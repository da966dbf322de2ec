"""The search for weights that an earlier start packed, in a thread of its own."""

import atexit
import hashlib
import logging
import threading
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from engine.config import EngineConfig
from engine.native.compiler import file_names
from engine.native.instructions import usable_label
from engine.packed_cache.content import Checkpoint
from engine.packed_cache.early_reading import FEWEST_BYTES, SHAPE_LENGTH, begun_reading, has_entries
from engine.packed_cache.entry import PackedEntry
from engine.packed_cache.store import PackedStore

THREAD_NAME: Final = "packed-weights"
_WRITE_AFTER_S: Final = 10.0  # the first requests come first
_MOST_END_S: Final = 1.0  # from the end of the process to that of the writing
_ENGINE: Final = Path(__file__).parent.parent
_SOURCES: Final = (
    "linear",
    "model",
    "packed_cache",
    "weights",
)  # the rooms whose code decides what an entry holds

_log = logging.getLogger(__name__)


class Search:
    """The search for one checkpoint's packed weights, which begins at once."""

    def __init__(self, checkpoint: Checkpoint, config: EngineConfig) -> None:
        assert config.packed_cache is not None
        self._checkpoint = checkpoint
        self._store = PackedStore(Path(config.packed_cache))
        self._is_worth_it = checkpoint.num_bytes >= FEWEST_BYTES
        self._shape, self._variant = checkpoint.shape[:SHAPE_LENGTH], _variant(config)[:SHAPE_LENGTH]
        self._entry: PackedEntry | None = None
        self._thread: threading.Thread | None = None
        self._is_ended = threading.Event()
        if self._is_worth_it and has_entries(Path(config.packed_cache), checkpoint.shape):
            self._thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
            self._thread.start()

    def entry(self) -> PackedEntry | None:
        """Wait for the search, and return what it found; None if there is nothing for this content."""
        if self._thread is not None:
            self._thread.join()
        return self._entry if self._checkpoint.is_unchanged() else None

    def forget(self) -> None:
        """Remove the entry that was found, which does not fit its model after all."""
        assert self._entry is not None
        self._store.remove(self._entry.path)
        self._entry = None

    def keep_soon(self, description: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
        """Write an entry for the next start, some seconds later and in a thread of its own.

        Nothing may write to the tensors any more.
        """
        if self._is_worth_it and self._entry is None:
            timer = threading.Timer(_WRITE_AFTER_S, self.keep, [description, tensors])
            timer.name, timer.daemon = THREAD_NAME, True
            timer.start()
            atexit.register(self._end, timer)

    def _end(self, timer: threading.Timer) -> None:
        """Break the writing off, so that no part of a file is left behind."""
        self._is_ended.set()
        timer.cancel()
        timer.join(_MOST_END_S)

    def keep(self, description: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> bool:
        """Write an entry now, and return whether it was written."""
        content = self._checkpoint.content() if self._is_worth_it else None
        if content is None or not self._checkpoint.is_unchanged():
            return False
        return self._store.write(
            self._shape, self._variant, content, description, tensors, lambda: not self._is_ended.is_set()
        )

    def _run(self) -> None:
        content = self._checkpoint.content()
        if content is not None:
            self._entry = self._store.read(self._shape, self._variant, content)


def search_for(config: EngineConfig, directory: Path) -> Search | None:
    """Return the search for this checkpoint's weights; None if the config names no cache."""
    if config.packed_cache is None or config.trust_remote_code:  # which may come from anywhere
        return None
    try:
        return Search(begun_reading(directory) or Checkpoint(directory), config)
    except OSError as error:
        _log.warning("%s cannot be read: %s", directory, error)
        return None


def _variant(config: EngineConfig) -> str:
    """Return the digest of all but the checkpoint that packed weights depend on."""
    sources = [path for room in _SOURCES for path in sorted((_ENGINE / room).rglob("*.py"))]
    parts = [
        *(f"{name} {version(name)}" for name in ("torch", "transformers")),
        *(path.read_text(encoding="utf-8") for path in sources),
        *file_names(),  # of the compiled code, which depend on its sources and the instructions
        usable_label(),
        config.dtype,
        str(config.quantize),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
