"""A kept index is the one that would be made anew, and is made anew where any file differs."""

import json
import os
from pathlib import Path

import pytest
import transformers
from transformers.utils import import_utils

from engine.model.loading.imports.kept_index import Index, kept

MODELS = Path(transformers.__file__).parent / "models"


class Counted:
    """transformers' own function, or a short one, and how often it was called."""

    def __init__(self, index: Index | None = None) -> None:
        self._index = index
        self.num_calls = 0

    def __call__(self, folder: str) -> Index:
        self.num_calls += 1
        found: Index = self._index or import_utils.define_import_structure.__wrapped__(folder)
        return found


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "verbatim"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder of as many models as transformers might have."""
    for number in range(120):
        model = tmp_path / "models" / f"model_{number}"
        model.mkdir(parents=True)
        (model / f"modeling_{number}.py").write_text("__all__ = ['Model']\n")
    (tmp_path / "import_utils.py").write_text("")
    return tmp_path / "models"


INDEX: Index = {frozenset({"torch", "vision"}): {"a.modeling_a": {"A", "B"}}, frozenset(): {"b": set()}}


def test_the_index_of_all_models_comes_back_as_transformers_made_it(cache: Path) -> None:
    own = Counted()
    made, found = (kept(own, Path(import_utils.__file__))(str(MODELS)) for _ in range(2))
    assert own.num_calls == 1
    assert made == found and len(found) > 1 and sum(map(len, found.values())) > 500
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("change", ["written", "added", "removed", "code"])
def test_a_file_that_changes_makes_it_anew(change: str, cache: Path, models: Path) -> None:
    own, code = Counted(INDEX), models.parent / "import_utils.py"
    assert kept(own, code)(str(models)) == kept(own, code)(str(models)) == INDEX
    assert own.num_calls == 1
    file = models / "model_7" / "modeling_7.py"
    match change:
        case "written":  # with the same size
            os.utime(file, ns=(0, 0))
        case "added":
            (models / "model_7" / "configuration_7.py").touch()
        case "removed":
            file.unlink()
        case "code":
            code.write_text("# another version")
    assert kept(own, code)(str(models)) == INDEX
    assert own.num_calls == 2
    assert kept(own, code)(str(models)) == INDEX
    assert own.num_calls == 2


@pytest.mark.parametrize("content", ["", "[]", "{", '{"state": 1}', '{"state": "", "index": [[1, 2]]}'])
def test_a_broken_file_is_replaced(content: str, cache: Path, models: Path) -> None:
    own, code = Counted(INDEX), models.parent / "import_utils.py"
    kept(own, code)(str(models))
    (file,) = cache.iterdir()
    state = json.loads(file.read_text())["state"]
    file.write_text(content.replace('"state": ""', f'"state": "{state}"'))
    assert kept(own, code)(str(models)) == kept(own, code)(str(models)) == INDEX
    assert own.num_calls == 2


def test_a_folder_of_one_model_is_not_kept(cache: Path, tmp_path: Path) -> None:
    own = Counted(INDEX)
    for _ in range(2):
        kept(own, Path(import_utils.__file__))(str(tmp_path))
    assert own.num_calls == 2 and not cache.exists()


def test_a_cache_that_cannot_be_written_is_no_error(cache: Path, models: Path) -> None:
    cache.parent.write_text("no folder")
    own = Counted(INDEX)
    for _ in range(2):
        assert kept(own, models.parent / "import_utils.py")(str(models)) == INDEX
    assert own.num_calls == 2
