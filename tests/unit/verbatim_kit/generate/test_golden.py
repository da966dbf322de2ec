"""The whole generator on one small contract, compared byte by byte.

After a wanted change, run `python -m verbatim_kit.generate --root tests/unit/verbatim_kit/generate/golden`
and read the difference.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verbatim_kit.generate.__main__ import main
from verbatim_kit.generate.tree import differences

GOLDEN = Path(__file__).parent / "golden"
REPOSITORY = Path(__file__).parents[4]


def copy_project(root: Path) -> None:
    """Copy the golden project into an empty folder, without what is generated."""
    shutil.copytree(GOLDEN, root, ignore=shutil.ignore_patterns("generated"), dirs_exist_ok=True)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of its own, generated from the golden specs."""
    root = tmp_path_factory.mktemp("root")
    copy_project(root)
    assert main(["--root", str(root)]) == 0
    return root


def test_the_generated_tree_is_the_golden_one(generated: Path) -> None:
    assert differences(generated / "generated", GOLDEN / "generated") == []


@pytest.mark.long
def test_the_golden_tree_is_well_typed() -> None:
    """mypy finds `generated` in the folder where it runs, and the clients by their path."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(REPOSITORY / "pyproject.toml")]
    command += ["--cache-dir", str(REPOSITORY / ".mypy_cache" / "golden"), "generated"]
    environment = {**os.environ, "MYPYPATH": str(GOLDEN / "generated" / "clients" / "python")}
    result = subprocess.run(command, cwd=GOLDEN, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.long
def test_the_order_of_sets_does_not_show(generated: Path, tmp_path: Path) -> None:
    copy_project(tmp_path)
    environment = {**os.environ, "PYTHONHASHSEED": "1"}  # ours is a random one
    command = [sys.executable, "-m", "verbatim_kit.generate", "--root", str(tmp_path)]
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True)
    assert differences(generated / "generated", tmp_path / "generated") == []


def test_check_finds_what_is_missing_foreign_or_changed_and_tells_the_command(
    generated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(generated, tmp_path, dirs_exist_ok=True)
    assert main(["--root", str(tmp_path), "--check"]) == 0
    tree = tmp_path / "generated"
    (tree / "pets" / "models.py").unlink()
    (tree / "pets" / "operations.py").write_text("edited by hand")
    (tree / "left_over.py").touch()
    (tree / "pets" / "__pycache__").mkdir(exist_ok=True)
    (tree / "pets" / "__pycache__" / "models.cpython-311.pyc").touch()
    assert main(["--root", str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "generated/ is not what specs/ gives:",
        "missing: pets/models.py",
        "not generated: left_over.py",
        "differs: pets/operations.py",
        "Run `make generate` and commit the result.",
    ]
    assert main(["--root", str(tmp_path)]) == 0
    assert differences(generated / "generated", tree) == []


def test_one_contract_can_be_generated_beside_others(generated: Path, tmp_path: Path) -> None:
    shutil.copytree(generated, tmp_path, dirs_exist_ok=True)
    shutil.copytree(tmp_path / "specs" / "pets", tmp_path / "specs" / "zoo")
    marked = tmp_path / "generated" / "pets" / "__init__.py"
    marked.write_text('"""As it was."""\n')
    assert main(["--root", str(tmp_path), "zoo"]) == 0
    assert marked.read_text() == '"""As it was."""\n'
    manifest = json.loads((tmp_path / "generated" / "MANIFEST.json").read_text())
    assert list(manifest["inputs"]) == ["pets", "zoo"]
    assert "from specs/zoo" in (tmp_path / "generated" / "zoo" / "models.py").read_text()


def test_a_contract_that_is_not_there_is_named(tmp_path: Path) -> None:
    copy_project(tmp_path)
    with pytest.raises(SystemExit, match=r"no such contract in specs/: zoo \(there are: pets\)"):
        main(["--root", str(tmp_path), "zoo"])


def test_an_error_names_the_contract_and_the_place(tmp_path: Path) -> None:
    copy_project(tmp_path)
    source = tmp_path / "specs" / "pets" / "openapi.yaml"
    source.write_text(source.read_text().replace("operationId: metrics", "operationId: get_pet"))
    with pytest.raises(SystemExit, match="^specs/pets: #/paths/~1metrics/get/operationId: "):
        main(["--root", str(tmp_path)])
    assert not (tmp_path / "generated").exists()
