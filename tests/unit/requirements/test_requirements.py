"""Verbatim's own engine and fronts over other servers are installed apart, from one list each."""

import tomllib

from handlers import engine_starter
from tests.unit.requirements.requirements import FOLDER, read_requirements


def test_the_distribution_needs_what_both_files_list() -> None:
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["dependencies"]
    files = project["tool"]["setuptools"]["dynamic"]["dependencies"]["file"]
    assert sorted(files) == sorted(f"requirements/{path.name}" for path in FOLDER.iterdir())


def test_no_library_is_in_both_files() -> None:
    front, engine = read_requirements("front"), read_requirements("engine")
    assert front and "torch" in engine
    assert not front.keys() & engine.keys()


def test_the_start_of_the_own_engine_looks_for_each_library_of_its_file() -> None:
    assert {*engine_starter._OWN_LIBRARIES} == read_requirements("engine").keys()
