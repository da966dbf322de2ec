"""A contract of its own costs its folders and its lines in the composition root, and nothing else.

A copy of Aleph Alpha's is added to a copy of this tree under another name. What is generated, the rules of
imports, and the tests of all contracts then find it by its folders.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
COPIED: Final = ("engine", "generated", "handlers", "specs", "tests", "tools", "verbatim_kit")
FOLDERS: Final = ("specs", "handlers/contracts", "tests/unit/handlers/contracts")
TESTS: Final = ("tests/contract", "tests/unit/handlers/contracts", "tests/unit/handlers/served_model")
LINTER: Final = Path(sys.executable).with_name("lint-imports")
NAMES: Final = {"aleph_alpha": "copycat", "AlephAlpha": "Copycat"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of this tree with one contract more."""
    tree = tmp_path_factory.mktemp("tree")
    for name in COPIED:
        shutil.copytree(
            ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
    for name in ("pyproject.toml", "verbatim_server.py", "README.md"):
        shutil.copy(ROOT / name, tree)
    for folder in FOLDERS:
        copy = shutil.copytree(tree / folder / "aleph_alpha", tree / folder / "copycat")
        for file in copy.rglob("*.*"):
            file.write_text(renamed(file.read_text("utf-8")), "utf-8")
    root = tree / "handlers" / "composition.py"
    lines = root.read_text("utf-8").splitlines(keepends=True)
    added = [line + renamed(line) if "AlephAlpha" in line else line for line in lines]
    root.write_text("".join(added), "utf-8")
    return tree


def renamed(text: str) -> str:
    for name, other in NAMES.items():
        text = text.replace(name, other)
    return text


def run(tree: Path, *command: str) -> None:
    """Run a command in the copy, whose packages come before those that are installed."""
    environment = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_contract_is_its_folders_and_its_lines_in_the_composition_root(tree: Path) -> None:
    run(tree, sys.executable, "-m", "verbatim_kit.generate")
    assert (tree / "generated" / "copycat" / "operations.py").is_file()
    run(tree, str(LINTER), "--no-cache")
    chosen = ("-k", "copycat", "-m", "not fuzz and not long", "-p", "no:cacheprovider")
    run(tree, sys.executable, "-m", "pytest", "-q", *chosen, *TESTS)
