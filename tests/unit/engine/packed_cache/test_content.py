"""Two directories have one content only if the files that decide their weights are the same, byte by byte."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from engine.packed_cache import content
from engine.packed_cache.content import content_digest, content_files, file_states, shape_digest


def checkpoint(directory: Path, last: float = 0.0) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "config.json").write_text("{}")
    weight = torch.zeros(1000)
    weight[-1] = last
    save_file({"weight": weight}, directory / "model.safetensors")
    return directory


def digests(directory: Path) -> tuple[str, str]:
    files = content_files(directory)
    return shape_digest(files), content_digest(files)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "_PIECE", 4096)  # mappings begin at pages


def test_copies_have_one_content(tmp_path: Path) -> None:
    assert digests(checkpoint(tmp_path / "a")) == digests(checkpoint(tmp_path / "b"))


def test_one_other_number_in_the_last_piece_is_another_content_of_the_same_shape(tmp_path: Path) -> None:
    shape, numbers = digests(checkpoint(tmp_path))
    other_shape, other_numbers = digests(checkpoint(tmp_path, last=1e-30))
    assert shape == other_shape and numbers != other_numbers


@pytest.mark.parametrize("name", ["config.json", "adapter_config.json", "modeling_own.py"])
def test_what_describes_the_model_is_part_of_both(tmp_path: Path, name: str) -> None:
    before = digests(checkpoint(tmp_path))
    (tmp_path / name).write_text("[]")
    assert all(one != other for one, other in zip(before, digests(tmp_path), strict=True))


def test_bytes_cannot_move_from_one_file_to_the_next(tmp_path: Path) -> None:
    checkpoint(tmp_path)
    (tmp_path / "a.json").write_text("12")
    (tmp_path / "b.json").write_text("3")
    before = digests(tmp_path)
    (tmp_path / "a.json").write_text("1")
    (tmp_path / "b.json").write_text("23")
    assert all(one != other for one, other in zip(before, digests(tmp_path), strict=True))


def test_empty_files_and_other_files_are_no_trouble(tmp_path: Path) -> None:
    before = content_digest(content_files(checkpoint(tmp_path)))
    (tmp_path / "README.md").write_text("read me")
    assert content_digest(content_files(tmp_path)) == before
    (tmp_path / "empty.json").touch()
    assert content_digest(content_files(tmp_path)) != before


def test_a_checkpoint_without_safetensors_has_no_content(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert content_files(tmp_path) == []


def test_a_file_that_is_written_again_has_another_state(tmp_path: Path) -> None:
    files = content_files(checkpoint(tmp_path))
    before = file_states(files)
    assert before == file_states(files)
    checkpoint(tmp_path, last=1.0)
    assert before != file_states(files)
