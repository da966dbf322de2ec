"""The names, types and shapes of a checkpoint's tensors, from the headers of its files, not their contents.

Safetensors files begin with a header. PyTorch's files (`pytorch_model.bin`) have one in effect: the pickle in
them, read with only tensors allowed and without their storage.
"""

import math
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from safetensors import SafetensorError, safe_open

from engine.model.loading.checkpoint.json_files import json_object
from engine.model.loading.gguf.description import is_described, tensors_of
from engine.port.errors import ModelNotSupported

_NUMBER: Final = re.compile(r"\d+")
_WORDS: Final = {"bfloat": "BF", "float": "F", "uint": "U", "int": "I"}  # safetensors' for torch's


class StoredTensor(NamedTuple):
    """A tensor as its header describes it. dtype: in safetensors' words, such as "BF16" or "U32".

    block: of a GGUF file's, how many numbers are stored together, and their bytes; dtype is ggml's word then.
    """

    dtype: str
    shape: tuple[int, ...]
    block: tuple[int, int] | None = None

    @property
    def is_integer(self) -> bool:
        return self.block is None and self.dtype[0] in "IU"

    @property
    def is_float(self) -> bool:
        """True for 16 bits or more, and for blocks: what becomes the dtype that the model computes in."""
        return self.block is not None or self.dtype in ("F64", "F32", "F16", "BF16")

    @property
    def num_elements(self) -> int:
        return math.prod(self.shape)

    @property
    def num_bytes(self) -> int:
        if self.block is not None:
            return self.num_elements // self.block[0] * self.block[1]
        bits = _NUMBER.search(self.dtype)
        return -(-self.num_elements * (8 if bits is None else int(bits[0])) // 8)


class _Kind(NamedTuple):
    """A kind of checkpoint. one_file, index_file: names of files. header: reads the tensors of one file.

    are_same: whether two files hold the same numbers of a tensor.
    """

    one_file: str
    index_file: str
    header: Callable[[Path], Iterator[tuple[str, StoredTensor]]]
    are_same: Callable[[Path, Path, str], bool]


class _Files(NamedTuple):
    """The files of a checkpoint. expected: the file of each tensor by the index; None without an index."""

    paths: list[Path]
    expected: Mapping[str, str] | None = None


def read_headers(directory: Path) -> Mapping[str, StoredTensor] | None:
    """Return the tensors of a model's files by name; None if it has neither safetensors nor PyTorch's files.

    Safetensors are preferred, as transformers prefers them. The tensors of a GGUF file have its own names.
    Raises ModelNotSupported for a file that is missing or cut short, or whose header does not describe it.
    """
    if is_described(directory):
        return {
            tensor.name: StoredTensor(tensor.kind, tensor.shape, tensor.block)
            for tensor in tensors_of(directory)
        }
    for kind in _KINDS:
        files = _files(directory, kind)
        if files is not None:
            return _headers(directory, files, kind)
    return None


def safetensors_files(directory: Path) -> list[Path]:
    """Return the safetensors files that a model's weights are in; none if it has none."""
    found = _files(directory, _KINDS[0])
    return [] if found is None else found.paths


def _headers(directory: Path, files: _Files, kind: _Kind) -> dict[str, StoredTensor]:
    tensors: dict[str, StoredTensor] = {}
    places: dict[str, Path] = {}
    for path in files.paths:
        if not path.is_file():
            raise ModelNotSupported(
                f"{path} is missing, which {kind.index_file} names: the download may not have ended"
            )
        for name, tensor in kind.header(path):
            # All are loaded, and the last one would win whatever the index says.
            if (before := places.setdefault(name, path)) != path and (
                tensors[name] != tensor or not kind.are_same(before, path, name)
            ):
                raise ModelNotSupported(
                    f"{before} and {path.name} hold different copies of {name}: one of them belongs to "
                    "another checkpoint"
                )
            tensors[name] = tensor
    for name, file in (files.expected or {}).items():
        if name in places and len(files.paths) > 1 and not _has(places[name], directory / file, name, kind):
            raise ModelNotSupported(
                f"{directory / kind.index_file} says that {name} is in {file}, and it is in "
                f"{places[name].name}: the files are of different checkpoints"
            )
    return tensors


def _has(found: Path, expected: Path, name: str, kind: _Kind) -> bool:
    """Return whether a tensor that was found in one file is in the one where it is expected."""
    return found == expected or any(each == name for each, _ in kind.header(expected))


def _files(directory: Path, kind: _Kind) -> _Files | None:
    if (path := directory / kind.one_file).is_file():
        return _Files([path])
    if not (index := directory / kind.index_file).is_file():
        return None
    found = json_object(index)
    names = found.get("weight_map")
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise ModelNotSupported(
            f"{index} must hold a weight_map, from the names of tensors to those of files"
        )
    if not isinstance(found.get("metadata"), dict):  # which transformers reads
        raise ModelNotSupported(f"{index} must hold metadata, which may be an empty object")
    for name, file in names.items():
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise ModelNotSupported(
                f"{index} maps {name} to {file}, which is outside of the model's directory"
            )
    return _Files([directory / name for name in sorted(set(names.values()))], names)


def _safetensors_header(path: Path) -> Iterator[tuple[str, StoredTensor]]:
    try:
        with safe_open(path, framework="np") as file:
            for name in file.keys():  # noqa: SIM118  # it is no mapping
                part = file.get_slice(name)
                yield name, StoredTensor(part.get_dtype(), tuple(part.get_shape()))
    except (SafetensorError, OSError) as error:
        reason = " ".join(str(error).split()).removeprefix("Error while deserializing header: ")
        raise ModelNotSupported(
            f"{path} ({path.stat().st_size:,} bytes) is no whole safetensors file: {reason}; it may be cut "
            "short, as by a broken download, or be a pointer of Git LFS"
        ) from error


def _are_same_bytes(first: Path, second: Path, name: str) -> bool:
    import torch

    with safe_open(first, framework="pt") as one, safe_open(second, framework="pt") as other:
        return torch.equal(one.get_tensor(name), other.get_tensor(name))


def _pickle_header(path: Path) -> Iterator[tuple[str, StoredTensor]]:
    import torch

    try:
        found = torch.load(path, map_location="meta", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ModelNotSupported(
            f"{path} ({path.stat().st_size:,} bytes) is not loaded: it is cut short, or holds more than "
            "tensors, and what it holds could run any program; a checkpoint as safetensors cannot"
        ) from error
    except Exception as error:  # whatever a file that is no archive's brings up
        raise ModelNotSupported(
            f"{path} ({path.stat().st_size:,} bytes) is no whole file of PyTorch's: "
            f"{' '.join(str(error).split())[:200]}; it may be cut short, as by a broken download"
        ) from error
    if not isinstance(found, dict) or not all(isinstance(part, torch.Tensor) for part in found.values()):
        raise ModelNotSupported(f"{path} must hold tensors by name, and nothing else")
    for name, tensor in found.items():
        yield name, StoredTensor(_word_for(str(tensor.dtype).removeprefix("torch.")), tuple(tensor.shape))


def _word_for(dtype: str) -> str:
    """Return safetensors' word for one of torch's dtypes, such as "BF16" for "bfloat16"."""
    for name, word in _WORDS.items():
        if dtype.startswith(name):
            return word + dtype.removeprefix(name).upper()
    return dtype.upper()


_KINDS: Final = (
    _Kind("model.safetensors", "model.safetensors.index.json", _safetensors_header, _are_same_bytes),
    _Kind("pytorch_model.bin", "pytorch_model.bin.index.json", _pickle_header, lambda *_: False),
)
