"""The content of a model's directory as a key: two directories have one only if their bytes are the same.

No torch, so that reading can begin before it is imported.
"""

import hashlib
import json
import logging
import mmap
import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from engine.host.machine import num_processors

THREAD_NAME: Final = "checkpoint-content"
_WEIGHTS: Final = ("*.safetensors", "*.gguf")
_DESCRIPTIONS: Final = ("*.json", "*.py")  # of the model, of adapters, and modelling code of its own
# Hashed at once without Python's lock, which imports in another thread would keep for milliseconds each time.
_PIECE: Final = 1 << 27
_LONGEST_HEADER: Final = 1 << 27  # of a safetensors file; the format allows no more than 100 MB

_log = logging.getLogger(__name__)


class FileState(NamedTuple):
    """The state of a file by what Linux says; the same one means unchanged only within one start."""

    path: Path
    size: int
    modified_ns: int
    changed_ns: int
    number: int


class Checkpoint:
    """The files that decide a model's weights, as they were when this was made.

    Raises OSError if they cannot be read.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._files = content_files(directory)
        self._states = file_states(self._files)
        self.shape = shape_digest(self._files)
        self.num_bytes = sum(state.size for state in self._states)
        self._thread: threading.Thread | None = None
        self._content: str | None = None

    def begin_reading(self) -> None:
        """Let a thread compute what `content` returns."""
        self._thread = threading.Thread(target=self._read, name=THREAD_NAME, daemon=True)
        self._thread.start()

    def content(self) -> str | None:
        """Return the digest of the content, as soon as it is known; None if a file cannot be read, which is
        logged.
        """
        if self._thread is None:
            self.begin_reading()
        assert self._thread is not None
        self._thread.join()
        return self._content

    def is_unchanged(self) -> bool:
        """Return whether the files are still the same, by what Linux says of them."""
        try:
            return self._states == file_states(content_files(self.directory))
        except OSError:
            return False

    def _read(self) -> None:
        try:
            self._content = content_digest(self._files)
        except OSError as error:
            _log.warning("%s cannot be read: %s", self.directory, error)


def content_files(directory: Path) -> list[Path]:
    """Return the files that decide a model's weights, sorted; none if it has neither safetensors nor GGUF."""
    if not any(True for pattern in _WEIGHTS for _ in directory.glob(pattern)):
        return []
    return sorted(path for pattern in (*_WEIGHTS, *_DESCRIPTIONS) for path in directory.glob(pattern))


def file_states(paths: Iterable[Path]) -> list[FileState]:
    """Return the states of these files. Raises OSError if one is gone."""
    found = [(path, path.stat()) for path in paths]
    return [
        FileState(path, state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
        for path, state in found
    ]


def shape_digest(paths: Sequence[Path]) -> str:
    """Return a digest of all but the weights' numbers: the headers of safetensors files, and other files.

    It is computed in milliseconds, and many models have the same. Raises OSError.
    """
    return _digest([[path.name, path.stat().st_size, _sha256(_description(path))] for path in paths])


def content_digest(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of the SHA-256s of all pieces of these files, with their names.

    Every byte counts, and nobody knows two contents with the same. Takes 0.8 s for a gigabyte on a core with
    instructions for SHA, and leaves one core to others. Raises OSError.
    """
    pieces = [(path, first) for path in paths for first in range(0, max(path.stat().st_size, 1), _PIECE)]
    digests: dict[int, str] = {}
    errors: list[OSError] = []
    num_threads = max(1, num_processors() - 1)

    def read_some(first: int) -> None:
        try:
            for index in range(first, len(pieces), num_threads):
                digests[index] = _piece_digest(*pieces[index])
        except OSError as error:
            errors.append(error)

    # Daemons, so that a server that is stopped does not wait for them.
    threads = [
        threading.Thread(target=read_some, args=[first], name=THREAD_NAME, daemon=True)
        for first in range(1, num_threads)
    ]
    for thread in threads:
        thread.start()
    read_some(0)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return _digest([[path.name, first, digests[index]] for index, (path, first) in enumerate(pieces)])


def _piece_digest(path: Path, first: int) -> str:
    with path.open("rb") as file:
        size = min(_PIECE, os.fstat(file.fileno()).st_size - first)
        if size <= 0:
            return _sha256(b"")
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ, offset=first) as mapped:
            return _sha256(mapped)


def _description(path: Path) -> bytes:
    if path.suffix == ".gguf":
        return b""  # the digest of its header is in a file next to it
    if path.suffix != ".safetensors":
        return path.read_bytes()
    with path.open("rb") as file:
        length = file.read(8)
        return length + file.read(min(int.from_bytes(length, "little"), _LONGEST_HEADER))


def _sha256(content: bytes | mmap.mmap) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(parts: object) -> str:
    return _sha256(json.dumps(parts).encode())
