"""A file of packed weights is read as it was written, or not at all."""

import errno
import mmap
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.packed_cache import entry
from engine.packed_cache.entry import BrokenEntry, entry_size, read_entry, write_entry

DESCRIPTION = {"content": "abc", "numbers": [1, 2.5, None]}


def some_tensors() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return {
        "bfloat16": torch.randn(3000, 5, generator=generator).bfloat16(),
        "int8": torch.randint(-127, 128, (9001,), dtype=torch.int8, generator=generator),
        "float32": torch.randn(1, generator=generator),
    }


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "_PIECE", 10_000)


def written(directory: Path) -> Path:
    path = directory / "folder" / "entry"
    write_entry(path, DESCRIPTION, some_tensors())
    return path


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = written(tmp_path)
    read = read_entry(path)
    assert read.description == DESCRIPTION and list(read.tensors) == list(some_tensors())
    for name, tensor in some_tensors().items():
        assert read.tensors[name].dtype == tensor.dtype and torch.equal(read.tensors[name], tensor)
    assert 0 < path.stat().st_size - entry_size(some_tensors()) < 2 * mmap.PAGESIZE
    assert list(path.parent.iterdir()) == [path]


def test_a_tensor_that_is_written_to_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path)
    read_entry(path).tensors["int8"].zero_()
    assert torch.equal(read_entry(path).tensors["int8"], some_tensors()["int8"])


def test_every_tensor_begins_at_a_page(tmp_path: Path) -> None:
    tensors = read_entry(written(tmp_path)).tensors.values()
    assert all(tensor.data_ptr() % mmap.PAGESIZE == 0 for tensor in tensors)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.3, 0.6, 0.9, 0.9999])
def test_another_bit_anywhere_is_found(tmp_path: Path, share: float) -> None:
    path = written(tmp_path)
    content = bytearray(path.read_bytes())
    content[int(share * len(content))] ^= 4
    path.write_bytes(content)
    with pytest.raises(BrokenEntry):
        read_entry(path)


@pytest.mark.parametrize("size", [0, 10, 4096, 20_000, -1])
def test_a_file_that_is_cut_short_is_found(tmp_path: Path, size: int) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(BrokenEntry):
        read_entry(path)


def test_a_longer_file_is_found(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes() + b"0")
    with pytest.raises(BrokenEntry, match="bytes, which should be"):
        read_entry(path)


def test_a_writing_that_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    asked = iter([True, True, False])
    with pytest.raises(OSError, match="broken off"):
        write_entry(tmp_path / "entry", DESCRIPTION, some_tensors(), lambda: next(asked))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing_of_a_new_file_and_all_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path)

    def fail(_: Any) -> None:
        raise OSError(errno.ENOSPC, "no space is left")

    monkeypatch.setattr("engine.packed_cache.entry.os.fsync", fail)
    with pytest.raises(OSError, match="no space is left"):
        write_entry(path, {"content": "other"}, some_tensors())
    assert list(path.parent.iterdir()) == [path]
    assert read_entry(path).description == DESCRIPTION
