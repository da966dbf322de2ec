"""The folders of tests: unit tests mirror the tree, and the page about tests names every folder."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.unit.docs.pages import ROOT, code

TESTS: Final = ROOT / "tests"
PAGE: Final = TESTS / "README.md"


def folders(root: Path) -> Iterator[Path]:
    """Yield the folders of test modules, however deep."""
    yield from sorted({path.parent for path in root.rglob("test_*.py")})


def test_the_folders_of_unit_tests_mirror_those_of_the_tree() -> None:
    mirrors = [path.relative_to(TESTS / "unit") for path in folders(TESTS / "unit")]
    assert Path("engine/port/text") in mirrors
    assert not [one for one in mirrors if not (ROOT / one).is_dir() and not (TESTS / one).is_dir()]


def test_the_page_about_tests_has_every_folder() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = {word.rstrip("/") for row in rows for word in code(row)}
    # A folder that has moved leaves its compiled modules behind, which git does not know.
    sources = {path.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/*.py")}
    assert named == sources


def test_the_targets_that_the_page_about_tests_names_exist() -> None:
    named = set(re.findall(r"`make ([\w-]+)`", PAGE.read_text(encoding="utf-8")))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert named and not named - set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
