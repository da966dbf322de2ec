"""The files of an adapter in a folder, as PEFT writes them."""

import hashlib
import pickle
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_safetensors
from torch import Tensor

from engine.errors import CannotLoadAdapter

_CONFIG: Final = "adapter_config.json"
_TENSORS: Final = "adapter_model.safetensors"
_PICKLED: Final = "adapter_model.bin"
_MAX_CONFIG_BYTES: Final = 2**20
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


def read_files(folder: Path, max_bytes: int) -> AdapterFiles:
    """Read an adapter's files into memory.

    max_bytes: of its tensors. Raises CannotLoadAdapter.
    """
    config = _read(folder / _CONFIG, _MAX_CONFIG_BYTES)
    is_pickled = not (folder / _TENSORS).exists() and (folder / _PICKLED).exists()
    path = folder / (_PICKLED if is_pickled else _TENSORS)
    contents = _read(path, max_bytes)
    digest = hashlib.sha256(hashlib.sha256(config).digest() + hashlib.sha256(contents).digest()).hexdigest()
    return AdapterFiles(config, _unpickled(path) if is_pickled else _tensors(contents), digest)


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


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            contents = file.read(max_bytes + 1)
    except OSError as error:
        raise CannotLoadAdapter(f"{path.name}: {error.strerror or error}") from error
    if len(contents) > max_bytes:
        raise CannotLoadAdapter(f"{path.name} has more than {max_bytes:,} bytes")
    return contents


def _tensors(contents: bytes) -> dict[str, Tensor]:
    try:
        return load_safetensors(contents)
    except (SafetensorError, KeyError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise CannotLoadAdapter(f"{_TENSORS} cannot be read: {reason}") from error


def _unpickled(path: Path) -> dict[str, Tensor]:
    """Read a pickle that holds tensors alone; what would run code is refused by torch."""
    try:
        tensors: Any = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, OSError, EOFError, RuntimeError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise CannotLoadAdapter(f"{_PICKLED} holds more than tensors, or is broken: {reason}") from error
    if not isinstance(tensors, dict) or not all(isinstance(each, Tensor) for each in tensors.values()):
        raise CannotLoadAdapter(f"{_PICKLED} holds more than tensors by name")
    return {str(name): tensor for name, tensor in tensors.items()}
