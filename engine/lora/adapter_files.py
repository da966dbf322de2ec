"""The files of an adapter in a folder, as PEFT writes them."""

import hashlib
import os
import pickle
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.port.errors import CannotLoadAdapter
from engine.whole_file import open_regular

_CONFIG: Final = "adapter_config.json"
_TENSORS: Final = "adapter_model.safetensors"
_PICKLED: Final = "adapter_model.bin"
_MAX_CONFIG_BYTES: Final = 2**20
_CHUNK_BYTES: Final = 2**20  # read at once, without the interpreter's lock
_NAME: Final = re.compile(r"base_model\.model\.(?P<path>.+)\.lora_(?P<side>[AB])(?:\.default)?\.weight")


class AdapterFiles(NamedTuple):
    """The contents of an adapter's files. tensors: by name. digest: of all bytes."""

    config: bytes
    tensors: Mapping[str, Tensor]
    digest: str


class Pair(NamedTuple):
    """The tensors of one layer: down [rank, in_features] and up [out_features, rank]."""

    down: Tensor
    up: Tensor


def read_files(folder: Path, max_bytes: int, within: Path | None = None) -> AdapterFiles:
    """Read an adapter's files, each once, so that the digest is of the bytes that the tensors are from.

    max_bytes: of its tensors. within: the folder, itself no link, that no link may leave; None: links may
    lead anywhere. Raises CannotLoadAdapter.
    """
    is_pickled = not (folder / _TENSORS).exists() and (folder / _PICKLED).exists()
    with (
        _copied(folder / _CONFIG, _MAX_CONFIG_BYTES, within) as config,
        _copied(folder / (_PICKLED if is_pickled else _TENSORS), max_bytes, within) as stored,
    ):
        digest = hashlib.sha256(config.digest + stored.digest).hexdigest()
        tensors = _unpickled(stored.file, max_bytes) if is_pickled else _mapped(stored.file)
        return AdapterFiles(config.file.read(), tensors, digest)


def pairs_of(tensors: Mapping[str, Tensor]) -> dict[str, Pair]:
    """Return the tensors of each layer, by its path.

    Raises CannotLoadAdapter, with the name of the tensor, for one that is no LoRA weight of a linear layer,
    that lacks its other, or whose rank is not that of its other.
    """
    sides: dict[str, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        found = _NAME.fullmatch(name)
        if found is None:
            raise CannotLoadAdapter(f"{name} is no LoRA weight of a linear layer")
        if tensor.dim() != 2 or not tensor.is_floating_point():
            raise CannotLoadAdapter(f"{name} is {tensor.dtype} {list(tensor.shape)}, and no matrix of floats")
        sides.setdefault(found["path"], {})[found["side"]] = tensor
    for path, its in sides.items():
        if len(its) < 2:
            lacking = "B" if "A" in its else "A"
            raise CannotLoadAdapter(f"base_model.model.{path}.lora_{lacking}.weight is missing")
    return {path: Pair(its["A"], its["B"]) for path, its in sides.items()}


class _Copy(NamedTuple):
    """A copy of a file that no one else can change or cut, at its start."""

    file: IO[bytes]
    digest: bytes


@contextmanager
def _copied(path: Path, max_bytes: int, within: Path | None) -> Iterator[_Copy]:
    """Copy a file, for the block, to memory or, where the system has no files in memory, to its disk."""
    digest, num_bytes = hashlib.sha256(), 0
    with _no_file() as copy:
        try:
            with open(path, "rb", buffering=0, opener=open_regular) as file:
                if within is not None:
                    _check(file, path, within)
                while chunk := file.read(_CHUNK_BYTES):
                    num_bytes += len(chunk)
                    if num_bytes > max_bytes:
                        raise CannotLoadAdapter(f"{path.name} has more than {max_bytes:,} bytes")
                    digest.update(chunk)
                    copy.write(chunk)
            copy.seek(0)
        except OSError as error:
            raise CannotLoadAdapter(f"{path.name}: {error.strerror or error}") from error
        yield _Copy(copy, digest.digest())


def _no_file() -> IO[bytes]:
    """Return an empty file without a name."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("adapter"), "w+b")
    return tempfile.TemporaryFile()


def _check(file: IO[bytes], path: Path, within: Path) -> None:
    """Check that this path, which has been opened as the file, names it by no link that leaves."""
    target = path.resolve(strict=True)
    if not (target.is_relative_to(within) and os.path.samestat(os.fstat(file.fileno()), target.lstat())):
        raise CannotLoadAdapter(f"{path.name} is a link that leaves the adapters' root")


def _mapped(file: IO[bytes]) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file, which are not copied: they lie in it, and outlive its end."""
    try:
        with safe_open(f"/dev/fd/{file.fileno()}", framework="pt") as stored:
            return {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118  # no mapping
    except (SafetensorError, KeyError, ValueError, RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise CannotLoadAdapter(f"{_TENSORS} cannot be read: {reason}") from error


def _unpickled(file: IO[bytes], max_bytes: int) -> dict[str, Tensor]:
    """Read a pickle that holds only tensors; what would run code is refused by torch."""
    try:
        if zipfile.is_zipfile(file):  # as torch writes it, though without compression
            with zipfile.ZipFile(file) as archive:
                num_bytes = sum(each.file_size for each in archive.infolist())
            if num_bytes > max_bytes:
                raise CannotLoadAdapter(f"{_PICKLED} unpacks to more than {max_bytes:,} bytes")
        file.seek(0)
        tensors: Any = torch.load(file, map_location="cpu", weights_only=True)
    except (
        pickle.UnpicklingError,
        zipfile.BadZipFile,
        OSError,
        EOFError,
        RuntimeError,
        ValueError,
        KeyError,
    ) as error:
        reason = " ".join(str(error).split())[:200]
        raise CannotLoadAdapter(f"{_PICKLED} holds more than tensors, or is broken: {reason}") from error
    if not isinstance(tensors, dict) or not all(isinstance(each, Tensor) for each in tensors.values()):
        raise CannotLoadAdapter(f"{_PICKLED} holds more than tensors by name")
    return {str(name): tensor for name, tensor in tensors.items()}
