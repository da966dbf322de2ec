"""Contracts that are emitted side by side come out as each would alone, and no failure is lost."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from verbatim_kit.generate.__main__ import main
from verbatim_kit.generate.tree import differences
from verbatim_kit.generate.workers import emit_contracts, run_side_by_side

PROJECT = Path(__file__).parent / "golden"
PETS = PROJECT / "specs" / "pets"
GOLDEN = PROJECT / "generated"


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def contract(root: Path, name: str) -> Path:
    """A copy of the golden contract, under a name of its own, in a copy of its project."""
    shutil.copyfile(PROJECT / "pyproject.toml", root / "pyproject.toml")
    folder = root / "specs" / name
    shutil.copytree(PETS, folder)
    return folder


def spoil(folder: Path) -> None:
    """Give two operations the same name."""
    source = folder / "openapi.yaml"
    source.write_text(source.read_text().replace("operationId: metrics", "operationId: get_pet"))


def test_contracts_side_by_side_are_those_that_each_is_alone(tmp_path: Path) -> None:
    shutil.copyfile(PROJECT / "LICENSE", tmp_path / "LICENSE")
    for name in ("pets", "quay", "zoo"):
        contract(tmp_path, name)
    assert main(["--root", str(tmp_path)]) == 0
    tree = tmp_path / "generated"
    package = Path("clients", "python", "pets_client", "pets")
    assert differences(GOLDEN / "pets", tree / "pets") == []
    assert differences(GOLDEN / package, tree / package) == []
    for name in ("quay", "zoo"):
        for file in (GOLDEN / "pets").glob("*"):
            text = file.read_text().replace("specs/pets", f"specs/{name}")
            assert (tree / name / file.name).read_text() == text


def test_the_faults_of_all_contracts_are_reported_by_name(tmp_path: Path) -> None:
    spoil(contract(tmp_path, "zoo"))
    contract(tmp_path, "pets")
    spoil(contract(tmp_path, "ants"))
    with pytest.raises(SystemExit) as raised:
        main(["--root", str(tmp_path)])
    lines = str(raised.value).splitlines()
    place = (
        "#/paths/~1metrics/get/operationId: 'get_pet' names the same method as #/paths/~1pets~1{petId}/get"
    )
    assert lines == [f"specs/ants: {place}", f"specs/zoo: {place}"]
    assert not (tmp_path / "generated").exists()


def test_a_failure_of_the_generator_names_the_contract(tmp_path: Path) -> None:
    good, bad = contract(tmp_path, "pets"), tmp_path / "specs" / "zoo"
    (bad / "openapi.json").mkdir(parents=True)
    with pytest.raises(BaseExceptionGroup, match="the generator itself failed") as raised:
        emit_contracts([good, bad], tmp_path / "generated")
    (failure,) = raised.value.exceptions
    assert isinstance(failure, IsADirectoryError)
    assert failure.__notes__[-1] == "This happened to specs/zoo."


def test_every_command_that_fails_is_reported(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", f"import sys; sys.exit({word!r})"] for word in ("one", 0, "two")]
    assert run_side_by_side(commands, tmp_path) == ["one\n", "two\n"]
