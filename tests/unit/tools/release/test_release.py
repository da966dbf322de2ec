"""A version is released from what is committed, with an entry in the changelog, once."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.release.__main__ import main
from tools.release.checks import PROJECTS

CHANGELOG = """# Changelog

## [Unreleased]

## [1.2.3] - 2027-01-31

### Added

- A thing.

## [1.2.2] - 2027-01-01

- Old.
"""


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository whose version is 1.2.3, with an entry for it."""
    root = tmp_path / "clone"
    for name in PROJECTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text('[project]\nversion = "1.2.3"\n', encoding="utf-8")
    (root / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "First")
    return root


def test_a_release_has_the_notes_of_its_version_and_hashes_that_hold(clone: Path, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "a.whl").write_bytes(b"wheel")
    assert main(["1.2.3", str(folder)], clone) == 0
    assert (folder / "NOTES.md").read_text(encoding="utf-8") == "### Added\n\n- A thing.\n"
    sums = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, text=True
    )
    assert sums.returncode == 0 and sums.stdout == "NOTES.md: OK\na.whl: OK\n"


def change_a_file(clone: Path) -> None:
    (clone / "new").write_text("", encoding="utf-8")


def tag_another_commit(clone: Path) -> None:
    git(clone, "tag", "v1.2.3")
    git(clone, "commit", "--quiet", "--allow-empty", "--message", "Second")


def empty_the_entry(clone: Path) -> None:
    text = CHANGELOG.replace("### Added\n\n- A thing.\n\n", "")
    (clone / "CHANGELOG.md").write_text(text, encoding="utf-8")


def leave_the_clients_behind(clone: Path) -> None:
    (clone / PROJECTS[1]).write_text('[project]\nversion = "1.2.2"\n', encoding="utf-8")


@pytest.mark.parametrize(
    ("break_it", "fault"),
    [
        (change_a_file, "not committed"),
        (tag_another_commit, "v1.2.3 names another commit"),
        (empty_the_entry, "is empty"),
        (leave_the_clients_behind, "has the version 1.2.2"),
    ],
)
def test_a_release_is_refused_with_its_reason(
    clone: Path, capsys: pytest.CaptureFixture[str], break_it: Callable[[Path], None], fault: str
) -> None:
    break_it(clone)
    assert main(["1.2.3"], clone) == 1
    assert fault in capsys.readouterr().err


def test_what_is_tagged_can_be_built_again(clone: Path) -> None:
    git(clone, "tag", "v1.2.3")
    assert main(["1.2.3"], clone) == 0


def test_a_version_without_an_entry_is_refused(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["1.2.4"], clone) == 1
    said = capsys.readouterr().err
    assert "no heading `## [1.2.4]" in said and "pyproject.toml has the version 1.2.3" in said
