"""The folder of packed weights gives what was kept for this content alone, and stays within its bounds."""

import logging
import os
from collections import namedtuple
from pathlib import Path

import pytest
import torch

from engine.packed_cache.store import PackedStore

TENSORS = {"weight": torch.arange(4096, dtype=torch.uint8)}


def keep(store: PackedStore, shape: str, content: str = "content") -> bool:
    return store.write(shape, "variant", content, {"layers": 1}, TENSORS)


def found(store: PackedStore, shape: str, content: str = "content", variant: str = "variant") -> bool:
    return store.read(shape, variant, content) is not None


def test_an_entry_is_for_one_content_and_one_variant(tmp_path: Path) -> None:
    store = PackedStore(tmp_path / "new" / "folder")
    assert not found(store, "shape")
    assert keep(store, "shape")
    assert found(store, "shape")
    assert not found(store, "shape", content="another")
    assert not found(store, "shape", variant="another")
    entry = store.read("shape", "variant", "content")
    assert entry is not None and entry.description == {"content": "content", "layers": 1}


def test_another_content_of_the_same_shape_takes_its_place(tmp_path: Path) -> None:
    store = PackedStore(tmp_path)
    keep(store, "shape", "first")
    keep(store, "shape", "second")
    assert not found(store, "shape", "first") and found(store, "shape", "second")
    assert len(list(tmp_path.iterdir())) == 1


def test_a_broken_entry_is_logged_and_removed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = PackedStore(tmp_path)
    keep(store, "shape")
    [path] = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert not found(store, "shape") and not path.exists()
    [record] = caplog.records
    assert record.levelno == logging.WARNING and "is broken, and is removed" in record.message


def test_those_that_were_not_used_for_longest_make_room(tmp_path: Path) -> None:
    store = PackedStore(tmp_path, most_bytes=28_000)  # three entries
    for number in range(3):
        assert keep(store, str(number))
        [path] = tmp_path.glob(f"{number}-*")
        os.utime(path, (number, number))
    assert found(store, "0")  # and used now
    assert keep(store, "3")
    assert [found(store, str(number)) for number in range(4)] == [True, False, True, True]


def test_what_is_larger_than_the_cache_is_not_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert not keep(PackedStore(tmp_path, most_bytes=4095), "shape")
    assert "they take 4,096 bytes, and the cache 4,095 at most" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_nearly_full_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    usage = namedtuple("usage", ["free"])
    monkeypatch.setattr("engine.packed_cache.store.shutil.disk_usage", lambda _: usage(8191))
    assert not keep(PackedStore(tmp_path), "shape")
    assert "less than 8,192 bytes of the disk are free" in caplog.text


def test_a_place_that_is_no_folder_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place = tmp_path / "file"
    place.touch()
    store = PackedStore(place)
    assert not keep(store, "shape") and not found(store, "shape")
    assert "packed weights are not kept" in caplog.text


def test_what_a_broken_off_write_left_is_removed_after_an_hour(tmp_path: Path) -> None:
    old, new = (tmp_path / f"shape-variant.weights.{number}.unfinished" for number in (1, 2))
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    assert keep(PackedStore(tmp_path), "other")
    assert (old.exists(), new.exists()) == (False, True)
