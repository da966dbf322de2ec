"""The header of a GGUF file: its metadata and the places of its tensors, each checked before it is believed.

The format is ggml's: a magic word, a version, two counts, metadata by key, the descriptions of tensors, and
then their contents, each from a multiple of an alignment. A file may come from anywhere, and every number in
it may be wrong; so no length, count, product or sum is used before it is known to lie within the file, and
what is read takes memory in proportion to bytes that are there. The reader of the `gguf` package trusts these
numbers (as llama.cpp's did, CVE-2026-27940), and takes seconds for a vocabulary of 150,000 tokens.
"""

import math
import os
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, NoReturn

import numpy as np

from engine.port.errors import ModelNotSupported

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_LARGEST_HEADER: Final = 1 << 27  # bytes; those of vocabularies of 262,144 tokens take 16 MB
_MOST_TENSORS: Final = 1 << 16
_MOST_KEYS: Final = 1 << 12
_MOST_STRINGS: Final = 1 << 21  # of an array
_LONGEST_NAME: Final = 1 << 10
_MOST_DIMENSIONS: Final = 4
_LARGEST_ALIGNMENT: Final = 1 << 16
_USUAL_ALIGNMENT: Final = 32
_STRING, _ARRAY, _BOOL = 8, 9, 7
# The numbers of metadata by their type in the file.
_NUMBERS: Final[Mapping[int, np.dtype[Any]]] = {
    number: np.dtype(name)
    for number, name in {
        0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", _BOOL: "?", 10: "<u8", 11: "<i8",
        12: "<f8",
    }.items()
}  # fmt: skip
_WORD, _LONG = struct.Struct("<I"), struct.Struct("<Q")

MetadataValue = str | int | float | bool | tuple[str, ...] | np.ndarray[Any, np.dtype[Any]]


class GGUFTensor(NamedTuple):
    """A tensor of a file.

    kind: ggml's name for how numbers are stored, such as "Q4_K" or "F16". shape: as of torch, rows first.
    block: the numbers of a block, and its bytes. first: its first byte in the file.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    block: tuple[int, int]
    first: int

    @property
    def num_bytes(self) -> int:
        return math.prod(self.shape) // self.block[0] * self.block[1]


class GGUFHeader(NamedTuple):
    """A file's header. metadata: by key; arrays of numbers are NumPy's. tensors: in the file's order.

    num_bytes: of the header itself.
    """

    metadata: Mapping[str, MetadataValue]
    tensors: tuple[GGUFTensor, ...]
    num_bytes: int


def read_header(path: Path) -> GGUFHeader:
    """Return the header of a file. Raises ModelNotSupported for one that is not to be believed."""
    try:
        with path.open("rb", buffering=1 << 20) as file:
            return _Reader(path, file).header()
    except OSError as error:
        raise ModelNotSupported(f"{path} cannot be read: {error.strerror or error}") from error


class _Reader:
    """A reader of the beginning of a file, which asks for no byte beyond its end."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._file_bytes = os.fstat(file.fileno()).st_size
        self._place = 0

    def header(self) -> GGUFHeader:
        if self._file_bytes < 4 or self._bytes(4, "the magic word") != _MAGIC:
            self._refuse("it does not begin with GGUF; it may be a pointer of Git LFS, or another format")
        version = self._word("the version")
        if version not in _VERSIONS:
            if version & 0xFFFF == 0:
                self._refuse("its numbers are big-endian, which no model for this processor has")
            self._refuse(f"its version is {version}, and only {' and '.join(map(str, _VERSIONS))} are read")
        num_tensors = self._count("tensors", _MOST_TENSORS, smallest=24)
        num_keys = self._count("metadata keys", _MOST_KEYS, smallest=13)
        metadata: dict[str, MetadataValue] = {}
        for _ in range(num_keys):
            key = self._name("a metadata key")
            if key in metadata:
                self._refuse(f"it names {key} twice")
            metadata[key] = self._value(key, self._word(f"the type of {key}"))
        alignment = self._alignment(metadata)
        described = [self._tensor() for _ in range(num_tensors)]
        num_bytes = self._place
        begin = -(-num_bytes // alignment) * alignment
        tensors = tuple(tensor._replace(first=begin + tensor.first) for tensor in described)
        self._check_places(tensors, alignment, begin)
        return GGUFHeader(metadata, tensors, num_bytes)

    def _alignment(self, metadata: Mapping[str, MetadataValue]) -> int:
        alignment = metadata.get("general.alignment", _USUAL_ALIGNMENT)
        if (
            type(alignment) is not int
            or not 0 < alignment <= _LARGEST_ALIGNMENT
            or alignment & (alignment - 1)
        ):
            self._refuse(
                f"general.alignment must be a power of two, {_LARGEST_ALIGNMENT} at most, and is "
                f"{str(alignment)[:50]}"
            )
        return alignment

    def _tensor(self) -> GGUFTensor:
        """Return a tensor whose `first` is counted from the beginning of the contents."""
        name = self._name("a tensor's name")
        num_dimensions = self._word(f"the dimensions of {name}")
        if not 1 <= num_dimensions <= _MOST_DIMENSIONS:
            self._refuse(f"{name} has {num_dimensions} dimensions, and 1 to {_MOST_DIMENSIONS} are possible")
        shape = tuple(self._long(f"the dimensions of {name}") for _ in range(num_dimensions))[::-1]
        kind, block = _kind(
            self._word(f"the type of {name}"), lambda reason: self._refuse(f"{name} {reason}")
        )
        first = self._long(f"the offset of {name}")
        # Python's integers do not overflow, so that a product is what it says.
        if 0 in shape or math.prod(shape) // block[0] * block[1] > self._file_bytes:
            self._refuse(f"{name} is {list(shape)} of {kind}, and the file has {self._file_bytes:,} bytes")
        if shape[-1] % block[0]:
            self._refuse(f"{name} has rows of {shape[-1]} numbers, and blocks of {kind} have {block[0]}")
        return GGUFTensor(name, kind, shape, block, first)

    def _check_places(self, tensors: tuple[GGUFTensor, ...], alignment: int, begin: int) -> None:
        """Refuse tensors that lie elsewhere than the contents, upon one another, or at odd places."""
        if len({tensor.name for tensor in tensors}) < len(tensors):
            self._refuse("it names a tensor twice")
        end, before = begin, "the header"
        for tensor in sorted(tensors, key=lambda tensor: tensor.first):
            if tensor.first % alignment:
                self._refuse(f"{tensor.name} begins at byte {tensor.first:,}, no multiple of {alignment}")
            if tensor.first < end:
                self._refuse(f"{tensor.name} begins at byte {tensor.first:,}, within {before}")
            end, before = tensor.first + tensor.num_bytes, tensor.name
            if end > self._file_bytes:
                self._refuse(
                    f"{tensor.name} ends at byte {end:,}, and the file has {self._file_bytes:,}; it may be "
                    "cut short, as by a broken download"
                )

    def _value(self, key: str, kind: int) -> MetadataValue:
        if kind == _STRING:
            return self._string(key)
        if kind == _ARRAY:
            return self._array(key)
        numbers = self._numbers(key, kind, 1)
        value: int | float | bool = numbers[0].item()
        return value

    def _array(self, key: str) -> MetadataValue:
        kind = self._word(f"the type of {key}")
        if kind != _STRING:
            return self._numbers(key, kind, self._long(f"the length of {key}"))
        num_strings = self._count(f"strings of {key}", _MOST_STRINGS, smallest=8)
        return tuple(self._string(key) for _ in range(num_strings))

    def _numbers(self, key: str, kind: int, num: int) -> np.ndarray[Any, np.dtype[Any]]:
        dtype = _NUMBERS.get(kind)
        if dtype is None:
            self._refuse(f"{key} is of type {kind}, which is none of numbers, strings or arrays of these")
        content = self._bytes(num * dtype.itemsize, key)
        if kind == _BOOL and content.translate(None, b"\0\1"):
            self._refuse(f"{key} is neither true nor false")
        return np.frombuffer(content, dtype)

    def _name(self, what: str) -> str:
        name = self._string(what, _LONGEST_NAME)
        if not name.isprintable() or not name:
            self._refuse(f"{what} is {name!r}")
        return name

    def _string(self, what: str, longest: int = _LARGEST_HEADER) -> str:
        length = self._long(f"the length of {what}")
        if length > longest:
            self._refuse(f"{what} has {length:,} bytes, and {longest:,} are possible")
        try:
            return self._bytes(length, what).decode()
        except UnicodeDecodeError:
            self._refuse(f"{what} is not UTF-8")

    def _count(self, what: str, most: int, *, smallest: int) -> int:
        """Return how many things follow. smallest: the number of bytes of each, at least."""
        num = self._long(f"the number of {what}")
        if num > most or num * smallest > self._file_bytes - self._place:
            self._refuse(f"it says that it has {num:,} {what}, and has {self._file_bytes:,} bytes")
        return num

    def _word(self, what: str) -> int:
        number: int = _WORD.unpack(self._bytes(4, what))[0]
        return number

    def _long(self, what: str) -> int:
        number: int = _LONG.unpack(self._bytes(8, what))[0]
        return number

    def _bytes(self, num: int, what: str) -> bytes:
        end = self._place + num
        if end > self._file_bytes:
            self._refuse(
                f"it ends at byte {self._file_bytes:,}, within {what}; it may be cut short, as by a broken "
                "download"
            )
        if end > _LARGEST_HEADER:
            self._refuse(f"its header has more than {_LARGEST_HEADER:,} bytes, up to {what}")
        found = self._file.read(num)
        if len(found) < num:
            self._refuse(f"it became shorter while {what} was read")
        self._place = end
        return found

    def _refuse(self, reason: str) -> NoReturn:
        _refuse(self._path, reason)


def _kind(number: int, refuse: Callable[[str], NoReturn]) -> tuple[str, tuple[int, int]]:
    """Return ggml's name for a type of numbers, and its block: how many numbers, and their bytes."""
    from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType  # imports half a second of others

    try:
        kind = GGMLQuantizationType(number)
    except ValueError:
        refuse(f"is of ggml's type {number}, which is not known")
    num_numbers, num_bytes = GGML_QUANT_SIZES[kind]
    return kind.name, (num_numbers, num_bytes)


def _refuse(path: Path, reason: str) -> NoReturn:
    raise ModelNotSupported(f"{path} is no GGUF file that can be read: {reason}")
