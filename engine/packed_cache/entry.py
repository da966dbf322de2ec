"""A file of packed weights: a description, tensors, and checksums of all of it.

A line that names the format, the length of the description, and the description as JSON; then the tensors,
each from the beginning of a page; then the checksums (CRC-32) of each piece of all before them.

Read through a mapping, its pages are those of Linux' own cache of the file: all processes that map it share
them, and nothing is copied. They can be pages of 2 MiB: on ext4 since Linux 6.16, and on XFS.
"""

import errno
import json
import math
import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import torch
from torch import Tensor

UNFINISHED: Final = ".unfinished"  # how the names of files end that are being written
_FORMAT: Final = b"Verbatim's packed weights, 1\n"
_LENGTH: Final = struct.Struct("<Q")
_CHECKSUM: Final = struct.Struct("<I")
_PIECE: Final = 1 << 26  # of which there is one checksum
_PAGE: Final = 4096


class BrokenEntry(Exception):
    """The error for a file that is not as it was written; the message says in what."""


class PackedEntry(NamedTuple):
    """A file that was read. description: what it was written with. tensors: by name, in its mapped pages.

    A tensor that is written to changes in this process only.
    """

    path: Path
    description: Mapping[str, Any]
    tensors: Mapping[str, Tensor]


class _Place(NamedTuple):
    """A tensor's place in the file. first: its first byte, counted from the first tensor's."""

    name: str
    dtype: str
    shape: list[int]
    first: int

    @property
    def num_bytes(self) -> int:
        dtype: torch.dtype = getattr(torch, self.dtype)
        return math.prod(self.shape) * dtype.itemsize


def entry_size(tensors: Mapping[str, Tensor]) -> int:
    """Return the number of bytes of a file with these tensors, but for the few of its description."""
    return sum(_whole_pages(tensor.nbytes) for tensor in tensors.values())


def write_entry(
    path: Path,
    description: Mapping[str, Any],
    tensors: Mapping[str, Tensor],
    is_wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Write a file, which others see whole or not at all. Raises OSError, as where the disk is full.

    description: of JSON values. tensors: contiguous, not empty, on the CPU. is_wanted: asked now and then;
    once it says no, an OSError is raised.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        with unfinished.open("wb", buffering=0) as file:
            _write(_Summed(file, is_wanted), description, tensors)
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def read_entry(path: Path) -> PackedEntry:
    """Map a file whose checksums are right. Raises BrokenEntry, and OSError if it cannot be read."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < _PAGE:
            raise BrokenEntry(f"it has {size} bytes")
        # Private and writable only for torch, which has no tensors that cannot be written to.
        mapped = mmap.mmap(file.fileno(), size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    if (advice := getattr(mmap, "MADV_HUGEPAGE", None)) is not None:
        with suppress(OSError):  # the kernel has no huge pages
            mapped.madvise(advice)
    begin, described = _read_description(mapped)
    places = [_Place(*place) for place in described["places"]]
    end = begin + max((place.first + _whole_pages(place.num_bytes) for place in places), default=0)
    _check_sums(mapped, end)
    tensors = {
        place.name: torch.frombuffer(
            mapped,
            dtype=getattr(torch, place.dtype),
            count=math.prod(place.shape),
            offset=begin + place.first,
        ).view(place.shape)
        for place in places
    }
    return PackedEntry(path, described["description"], tensors)


class _Summed:
    """A file that is written from its beginning, and the checksums of its pieces."""

    def __init__(self, file: BinaryIO, is_wanted: Callable[[], bool]) -> None:
        self._file = file
        self._is_wanted = is_wanted
        self.num_bytes = 0
        self.sums: list[int] = []

    def write(self, content: memoryview) -> None:
        while len(content):
            if not self._is_wanted():
                raise OSError(errno.ECANCELED, "the writing was broken off")
            piece = content[: _PIECE - self.num_bytes % _PIECE]
            num_written = self._file.write(piece)
            if self.num_bytes % _PIECE == 0:
                self.sums.append(0)
            self.sums[-1] = zlib.crc32(piece[:num_written], self.sums[-1])
            self.num_bytes += num_written
            content = content[num_written:]

    def fill_page(self) -> None:
        self.write(memoryview(bytes(-self.num_bytes % _PAGE)))


def _write(file: _Summed, description: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    described = {"description": description, "places": list(_places(tensors))}
    text = json.dumps(described).encode()
    file.write(memoryview(_FORMAT + _LENGTH.pack(len(text)) + text))
    file.fill_page()
    for tensor in tensors.values():
        assert tensor.is_contiguous() and tensor.is_cpu and tensor.numel(), tensor.shape
        numbers: Any = tensor.view(-1).view(torch.uint8).numpy()  # whose buffer numpy does not annotate
        file.write(memoryview(numbers))
        file.fill_page()
    file.write(memoryview(b"".join(map(_CHECKSUM.pack, tuple(file.sums)))))


def _places(tensors: Mapping[str, Tensor]) -> Iterator[_Place]:
    first = 0
    for name, tensor in tensors.items():
        yield _Place(name, str(tensor.dtype).removeprefix("torch."), list(tensor.shape), first)
        first += _whole_pages(tensor.nbytes)


def _read_description(mapped: mmap.mmap) -> tuple[int, dict[str, Any]]:
    """Return the first byte of the tensors, and the description, whose checksum is not compared yet."""
    start = len(_FORMAT) + _LENGTH.size
    if mapped[: len(_FORMAT)] != _FORMAT:
        raise BrokenEntry("it does not begin as such a file does")
    (length,) = _LENGTH.unpack(mapped[len(_FORMAT) : start])
    try:
        described = json.loads(mapped[start : start + min(length, len(mapped))])
    except ValueError as error:
        raise BrokenEntry(f"its description cannot be read: {error}") from error
    return _whole_pages(start + length), described


def _check_sums(mapped: mmap.mmap, end: int) -> None:
    """Raise BrokenEntry unless the file has as many bytes as described, and the checksums are right."""
    firsts = range(0, end, _PIECE)
    size = end + len(firsts) * _CHECKSUM.size
    if len(mapped) != size:
        raise BrokenEntry(f"it has {len(mapped)} bytes, which should be {size}")
    with memoryview(mapped) as content:
        for (expected,), first in zip(_CHECKSUM.iter_unpack(content[end:]), firsts, strict=True):
            if zlib.crc32(content[first : min(first + _PIECE, end)]) != expected:
                raise BrokenEntry(f"its checksum is wrong in the piece that begins at byte {first}")


def _whole_pages(num_bytes: int) -> int:
    return -(-num_bytes // _PAGE) * _PAGE
