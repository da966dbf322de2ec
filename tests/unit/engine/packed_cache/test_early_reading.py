"""A checkpoint is read early only where packed weights of its shape may be found."""

from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.packed_cache import early_reading
from engine.packed_cache.content import Checkpoint
from engine.packed_cache.early_reading import SHAPE_LENGTH, begin_reading, begun_reading
from tests.unit.engine.packed_cache.test_content import checkpoint


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint with an entry in the cache beside it."""
    monkeypatch.setattr(early_reading, "FEWEST_BYTES", 1)
    directory = checkpoint(tmp_path / "model")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / f"{Checkpoint(directory).shape[:SHAPE_LENGTH]}-variant.weights").touch()
    return directory


def begin(model: Path, cache: str | None) -> None:
    begin_reading(EngineConfig(model=str(model), packed_cache=cache), model)


def test_the_content_is_that_of_a_later_reading(model: Path, tmp_path: Path) -> None:
    begin(model, str(tmp_path / "cache"))
    begun = begun_reading(model)
    assert begun is not None and begun.content() == Checkpoint(model).content() is not None
    assert begun_reading(model) is None


def test_a_change_after_its_beginning_is_noticed(model: Path, tmp_path: Path) -> None:
    begin(model, str(tmp_path / "cache"))
    begun = begun_reading(model)
    assert begun is not None and begun.is_unchanged()
    checkpoint(model, last=1.0)
    assert not begun.is_unchanged()


@pytest.mark.parametrize("cache", [None, "elsewhere"])
def test_nothing_is_read_without_an_entry(model: Path, tmp_path: Path, cache: str | None) -> None:
    begin(model, cache and str(tmp_path / cache))
    assert begun_reading(model) is None


def test_a_model_without_files_is_no_error(tmp_path: Path) -> None:
    begin(tmp_path / "nothing", str(tmp_path / "cache"))
    assert begun_reading(tmp_path / "nothing") is None


def test_another_directory_gets_nothing(model: Path, tmp_path: Path) -> None:
    begin(model, str(tmp_path / "cache"))
    assert begun_reading(tmp_path) is None


def test_files_that_cannot_be_read_have_no_content(model: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = Checkpoint(model)
    (model / "model.safetensors").unlink()
    assert made.content() is None and "cannot be read" in caplog.text
